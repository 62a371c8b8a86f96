"""Roll up turns for budgets that count since before this month."""

from django.db import migrations

# What was rolled up before turns were counted by release says nothing of them. That was
# made good for this month; a budget of an agent that counts since it was made began
# earlier, and would have had more left than there is.
ROLL_UP_AGAIN = """
INSERT INTO metrics_due (project_id, hour)
SELECT DISTINCT s.project_id, s.hour
  FROM guards_budget b
  JOIN metrics_sum s
    ON s.project_id = b.project_id AND s.agent_id = b.agent_id
   AND s.hour >= date_trunc('hour', b.created_at, 'UTC')
 WHERE b.session_id IS NULL AND b.period = 'total' AND b.measure IN ('turns', 'calls')
   AND s.turns > 0
   AND NOT EXISTS (
       SELECT FROM metrics_worked w
        WHERE w.project_id = s.project_id AND w.hour = s.hour
          AND w.agent_id = s.agent_id)
ON CONFLICT DO NOTHING
"""


class Migration(migrations.Migration):
    dependencies = [
        ("guards", "0003_refusals"),
        ("metrics", "0006_worked"),
    ]

    operations = [migrations.RunSQL(ROLL_UP_AGAIN, migrations.RunSQL.noop)]
