"""Oneself: the account, and the tokens for this API."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.http import Http404
from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.base import Endpoint, Input, PageQuery, Row, operation
from annotations.models import ApiToken, Membership, User

account = partial(operation, tag="account")


class MembershipSerializer(Row):
    project = serializers.CharField(source="project.slug", read_only=True)
    project_name = serializers.CharField(source="project.name", read_only=True)

    class Meta:
        model = Membership
        fields = ("project", "project_name", "role")
        read_only_fields = fields


class MeSerializer(serializers.ModelSerializer[User]):
    memberships = MembershipSerializer(many=True, read_only=True)

    class Meta:
        model = User
        fields = ("id", "username", "display_name", "email", "memberships")
        read_only_fields = fields


class MeInput(Input):
    display_name = serializers.CharField(max_length=120, allow_blank=True, required=False)
    email = serializers.EmailField(max_length=254, allow_blank=True, required=False)


class TokenSerializer(Row):
    class Meta:
        model = ApiToken
        fields = ("token_key", "name", "created", "expiry")
        read_only_fields = fields


class NewTokenSerializer(TokenSerializer):
    token = serializers.SerializerMethodField(
        help_text="The token itself. It is shown this once and cannot be read again."
    )

    class Meta:
        model = ApiToken
        fields = (*TokenSerializer.Meta.fields, "token")
        read_only_fields = fields

    def get_token(self, row: ApiToken) -> str:
        return str(self.context["token"])


class TokenInput(Input):
    name = serializers.CharField(max_length=80, help_text="What it is for, such as “nightly import”.")


class Me(Endpoint):
    @account("get_me", "Who one is, and in which projects.", answers=MeSerializer)
    def get(self, request: Request) -> Response:
        return self._me()

    @account("update_me", "Change one's display name or address.", body=MeInput, answers=MeSerializer)
    def patch(self, request: Request) -> Response:
        given = self.body(MeInput)
        for name, value in given.items():
            setattr(self.user, name, value)
        self.user.save(update_fields=list(given))
        return self._me()

    def _me(self) -> Response:
        user = User.objects.prefetch_related("memberships__project").get(pk=self.user.pk)
        return self.answer(MeSerializer, user)


class TokenList(Endpoint):
    @account(
        "list_tokens",
        "One's own tokens, without their secrets.",
        query=PageQuery,
        answers=TokenSerializer,
        is_page=True,
    )
    def get(self, request: Request) -> Response:
        self.query(PageQuery)
        return self.page(ApiToken.objects.filter(user=self.user), TokenSerializer, order=("-created", "token_key"))

    @account(
        "create_token",
        "Make a token. Its secret is in this answer only.",
        body=TokenInput,
        answers=NewTokenSerializer,
        status=201,
    )
    def post(self, request: Request) -> Response:
        row, token = ApiToken.objects.create(user=self.user, expiry=None, name=self.body(TokenInput)["name"])
        return self.answer(NewTokenSerializer, row, status=201, token=token)


class TokenDetail(Endpoint):
    @account("revoke_token", "Make one of one's tokens useless.", status=204)
    def delete(self, request: Request, token_key: str) -> Response:
        deleted, _ = ApiToken.objects.filter(user=self.user, token_key=token_key).delete()
        if not deleted:
            raise Http404("There is no such token of yours.")
        return Response(status=204)


urlpatterns: list[Any] = [
    path("me/", Me.as_view(), name="me"),
    path("tokens/", TokenList.as_view(), name="token-list"),
    path("tokens/<slug:token_key>/", TokenDetail.as_view(), name="token-detail"),
]
