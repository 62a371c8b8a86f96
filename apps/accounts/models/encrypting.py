"""The keys that an encrypting project's data is sealed with, themselves wrapped."""

from django.db import models
from django.db.models import Q


class DataKey(models.Model):
    """A key of a project, wrapped by the key-encryption key `outer_id`.

    What it sealed begins with its mark. The newest one seals; those before it open.
    """

    pk = models.CompositePrimaryKey("project_id", "number")
    project_id = models.CharField(max_length=31, db_collation="C")
    number = models.BigIntegerField()
    mark = models.BinaryField(unique=True)
    wrapped = models.BinaryField()
    outer_id = models.CharField(max_length=64, db_collation="C")
    made_at = models.DateTimeField()
    # Since when nothing new is sealed with it.
    retired_at = models.DateTimeField(null=True)
    # How far older data is sealed, and since when all of it is.
    sweep = models.JSONField(default=dict)
    swept_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(number__gte=1), name="accounts_datakey_number_from_one"
            )
        ]

    def __str__(self) -> str:
        return f"data key {self.number} of {self.project_id}"


class SubjectKey(models.Model):
    """A key of one end user's data, wrapped by a data key; destroyed when it is gone.

    Whose it is, a digest says, keyed with the project's index key.
    """

    pk = models.CompositePrimaryKey("project_id", "subject_digest")
    project_id = models.CharField(max_length=31, db_collation="C")
    subject_digest = models.BinaryField()
    mark = models.BinaryField(unique=True)
    data_key_number = models.BigIntegerField()
    wrapped = models.BinaryField()

    def __str__(self) -> str:
        return f"subject key of {self.project_id}"
