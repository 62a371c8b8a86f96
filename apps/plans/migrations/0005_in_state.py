"""Count the items of plans by their states from an index."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("plans", "0004_rolling_back")]

    operations = [
        migrations.AddIndex(
            model_name="item",
            index=models.Index(fields=["plan", "state"], name="plans_item_in_state"),
        ),
    ]
