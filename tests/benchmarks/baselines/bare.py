"""What Django, REST framework, granian and our front cost: four bare views.

`/empty` does nothing; `/insert` stores the bytes of the request in one row, by one
INSERT, without looking at them; `/parse` does the same after it parsed them, and
`/upsert` keeps the value that was sent for a key. No authentication, no middleware, no
log.
"""

import os

from django.core.wsgi import get_wsgi_application
from django.urls import path
from psycopg_pool import ConnectionPool
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.server.front.asgi import Front

LARGEST = 33 * 1024 * 1024
INSERT = "INSERT INTO bare (data) VALUES (%b)"
UPSERT = """
INSERT INTO kept (key, value) VALUES (%s, %s)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""

# As many connections as the product's pool has.
pool = ConnectionPool(
    os.environ["DATABASE_URL"],
    min_size=1,
    max_size=16,
    kwargs={"autocommit": True},
    open=True,
)


def insert(data: bytes) -> None:
    with pool.connection() as connection:
        connection.execute(INSERT, [data])


class Empty(APIView):
    def get(self, request: Request) -> Response:
        return Response({})


class Insert(APIView):
    def post(self, request: Request) -> Response:
        insert(request._request.body)
        return Response({})


class Parse(APIView):
    def post(self, request: Request) -> Response:
        body = request._request.body
        assert request.data
        insert(body)
        return Response({})


class Upsert(APIView):
    def post(self, request: Request) -> Response:
        with pool.connection() as connection:
            connection.execute(UPSERT, [request.data["key"], request.data["value"]])
        return Response({})


urlpatterns = [
    path("empty", Empty.as_view()),
    path("insert", Insert.as_view()),
    path("parse", Parse.as_view()),
    path("upsert", Upsert.as_view()),
]
application = Front(get_wsgi_application(), largest=LARGEST)
