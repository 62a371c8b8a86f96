"""What can go wrong with an approval."""

from apps.core.errors import DomainError, NotFound


class ApprovalNotFound(NotFound):
    """There is no such approval in this project."""

    code = "approval_not_found"


class ApprovalRuleNotFound(NotFound):
    """This agent has no such rule of approvals."""

    code = "approval_rule_not_found"


class ApprovalNeeded(DomainError):
    """A rule wants people to allow this: ask for it with this tool and arguments."""

    code = "approval_needed"


class ApprovalClosed(DomainError):
    """This approval is decided, its time is over, or its wait was set aside."""

    code = "approval_closed"


class ApprovalOutdated(DomainError):
    """What the approval rests on has changed since: reject it, and be asked anew."""

    code = "approval_outdated"


class AlreadyVoted(DomainError):
    """One person votes once."""

    code = "already_voted"


class TooManyApprovals(DomainError):
    """So many approvals of one session are undecided already."""

    code = "too_many_approvals"


class TooManyRules(DomainError):
    """An agent has so many rules of approvals at most."""

    code = "too_many_approval_rules"


class UnacceptableApproval(DomainError):
    """This cannot be asked for."""

    code = "unacceptable_approval"


class UnacceptableArguments(DomainError):
    """The arguments do not pass the schema of the request."""

    code = "unacceptable_arguments"
