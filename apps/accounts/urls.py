"""Where people sign in and out, and choose a password."""

from django.urls import path

from apps.accounts.views import passwords, signing

app_name = "accounts"
urlpatterns = [
    path("signin", signing.sign_in, name="sign_in"),
    path("signin/<str:token>", signing.signin_link, name="signin_link"),
    path("signout", signing.sign_out, name="sign_out"),
    path("password", passwords.password, name="password"),
    path("password/<str:token>", passwords.password_link, name="password_link"),
]
