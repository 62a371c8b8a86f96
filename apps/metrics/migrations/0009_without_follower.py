"""Events are fed from an outbox: no place in them is kept."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("metrics", "0008_not_told")]

    operations = [
        # What was not followed yet.
        migrations.RunSQL(
            "INSERT INTO metrics_due (project_id, hour)"
            " SELECT DISTINCT e.project_id, date_trunc('hour', e.created_at, 'UTC')"
            "   FROM audit_event e JOIN metrics_follower f ON e.xid >= f.xid"
            "  WHERE e.stream_id LIKE 'sess\\_%%' ON CONFLICT DO NOTHING",
            migrations.RunSQL.noop,
        ),
        migrations.DeleteModel(name="Follower"),
    ]
