"""compose.yaml says what docs/deployment.md and the settings say."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from aem_site import database_url

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    return loaded


def test_the_parts_of_production_are_there(compose: dict[str, Any]) -> None:
    assert set(compose["services"]) == {"database", "broker", "migrate", "web", "worker", "beat"}
    assert int(compose["services"]["database"]["image"].partition(":")[2]) >= 15


def test_nothing_starts_before_the_tables_and_the_broker_are_there(compose: dict[str, Any]) -> None:
    for name in ("web", "worker", "beat"):
        needs = compose["services"][name]["depends_on"]
        assert needs["migrate"] == {"condition": "service_completed_successfully"}
        assert needs["broker"] == {"condition": "service_healthy"}
    assert "healthcheck" in compose["services"]["broker"]


def test_web_and_workers_share_settings_and_uploads(compose: dict[str, Any]) -> None:
    web = compose["services"]["web"]
    for name in ("migrate", "worker", "beat"):
        assert compose["services"][name]["environment"] == web["environment"]
        assert compose["services"][name]["volumes"] == web["volumes"]


def test_secrets_have_no_default(compose: dict[str, Any]) -> None:
    environment = compose["services"]["web"]["environment"]
    assert environment["SECRET_KEY"].startswith("${SECRET_KEY:?")
    for name in ("DATABASE_URL", "CELERY_BROKER_URL"):
        assert re.search(r":\$\{\w+_PASSWORD:\?", environment[name])


def test_the_database_address_is_one_that_we_read(compose: dict[str, Any]) -> None:
    address = re.sub(r"\$\{[^}]*\}", "secret", compose["services"]["web"]["environment"]["DATABASE_URL"])
    entry = database_url.parse(address)
    assert (entry["HOST"], entry["NAME"], entry["USER"], entry["PASSWORD"]) == ("database", "aem", "aem", "secret")


def test_each_setting_is_documented(compose: dict[str, Any]) -> None:
    documented = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
    settings = (ROOT / "aem_site" / "settings.py").read_text(encoding="utf-8")
    read_in_settings = set(re.findall(r'(?:environ\.get|_flag|_names)\(\s*"(\w+)"', settings))
    for name in read_in_settings | set(compose["services"]["web"]["environment"]):
        assert f"`{name}`" in documented, f"{name} is missing in docs/deployment.md"
