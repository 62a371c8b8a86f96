"""Number the incidents of each project, and note how far resolved ones are watched.

Those that there are get their numbers in the order in which they were opened.
"""

from django.db import migrations, models

NUMBER = """
UPDATE incidents_incident i SET number = n.number
  FROM (SELECT id, row_number() OVER (PARTITION BY project_id ORDER BY id) AS number
          FROM incidents_incident) n
 WHERE n.id = i.id
"""
DEEDS = [
    ("opened", "Opened"),
    ("titled", "Titled"),
    ("status", "Status"),
    ("owner", "Owner"),
    ("check", "Check"),
    ("removed", "Removed"),
    ("added", "Added"),
    ("noted", "Noted"),
]


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0008_reads_unmasked"),
        ("incidents", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="incident",
            name="number",
            field=models.BigIntegerField(null=True),
        ),
        migrations.RunSQL(NUMBER, reverse_sql=migrations.RunSQL.noop),
        migrations.AlterField(
            model_name="incident",
            name="number",
            field=models.BigIntegerField(),
        ),
        migrations.AddConstraint(
            model_name="incident",
            constraint=models.UniqueConstraint(
                fields=("project", "number"), name="incidents_incident_number"
            ),
        ),
        migrations.AddField(
            model_name="incident",
            name="watched_to",
            field=models.CharField(db_collation="C", max_length=31, null=True),
        ),
        migrations.AddIndex(
            model_name="incident",
            index=models.Index(
                condition=models.Q(
                    ("check_text__isnull", False), ("status", "resolved")
                ),
                fields=["id"],
                name="incidents_incident_watched",
            ),
        ),
        migrations.RemoveConstraint(
            model_name="entry",
            name="incidents_entry_deed_is_known",
        ),
        migrations.AlterField(
            model_name="entry",
            name="deed",
            field=models.CharField(choices=DEEDS, db_collation="C", max_length=16),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                condition=models.Q(("deed__in", [name for name, _ in DEEDS])),
                name="incidents_entry_deed_is_known",
            ),
        ),
    ]
