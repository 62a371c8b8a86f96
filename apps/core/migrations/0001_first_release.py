"""Mark a database as one of the line of migrations that the first release began.

Every other migration of ours comes after it, so that a database that has one of them
and not this one was made before: see `core.database.line`.
"""

from django.db import migrations


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = []
