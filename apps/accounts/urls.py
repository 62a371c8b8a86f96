"""Where people sign in and out, accept invitations, and look after their account."""

from django.urls import path

from apps.accounts.views import account, invitations, passwords, signing

app_name = "accounts"
urlpatterns = [
    path("signin", signing.sign_in, name="sign_in"),
    path("signin/<str:token>", signing.signin_link, name="signin_link"),
    path("signout", signing.sign_out, name="sign_out"),
    path("password", passwords.password, name="password"),
    path("password/<str:token>", passwords.password_link, name="password_link"),
    path("invitation/<str:token>", invitations.invitation, name="invitation"),
    path("account", account.account, name="account"),
    path("account/sessions/end", account.end_sessions, name="end_sessions"),
    path(
        "account/sessions/<str:public_id>/end",
        account.end_session,
        name="end_session",
    ),
    path("account/second-factor", account.second_factor, name="second_factor"),
    path("account/code", account.enter_code, name="enter_code"),
]
