"""Words that stand where personal data and secrets do, and are none."""


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# `icon@2x.png` and `main@release.zip` are files.
FILES = words(
    """
    png jpg jpeg gif svg webp ico css scss js mjs ts tsx jsx html htm py rb rs md txt
    json yaml yml toml xml csv zip gz tar whl exe dll lock map log pdf mp3 mp4
    """
)
# What stands after a label in forms, schemas and sentences, and is nobody's name.
NOT_NAMES = words(
    """
    a an and any anonymous as blank can cannot changed char correct different email
    empty false field first for full given hidden in incorrect invalid is last listed
    masked maybe middle misspelled missing mismatch must n na name nil no none not null
    nullable of on optional or phone redacted required see should spelled str string
    text that the their this too true undefined unknown unset updated value varchar was
    wrong you your
    """
)
# Two of a kind, or a span: `2 Way Street`, `24 Hour Court`, `3 Star Place`.
NOT_STREETS = words(
    """
    best day days hour hours km lane lanes mile miles min minute minutes month months
    more new other star stars step steps top way ways week weeks year years
    """
)
# Words about a password, in place of one.
NOT_PASSWORDS = words(
    """
    none null nil true false required optional string text password passwd secret
    changed reset incorrect wrong invalid expired missing unknown empty hidden masked
    redacted removed undefined field value input your yourpassword must should cannot
    not too min minimum max strong weak hashed encrypted varchar bytes char object
    number integer boolean this that with from file prompt authentication auth login
    protected policy manager forgot
    """
)
