"""Where people sign in and out."""

from django.urls import path

from apps.accounts import views

app_name = "accounts"
urlpatterns = [
    path("signin", views.sign_in, name="sign_in"),
    path("signin/<str:token>", views.signin_link, name="signin_link"),
    path("signout", views.sign_out, name="sign_out"),
]
