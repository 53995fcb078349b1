"""What Spark is told about a store."""

from __future__ import annotations

from headwater.lake.jars import locked_jars
from headwater.storage.addresses import Scheme, parse_location
from headwater.storage.connections import AccessKeys, StoreConnection
from headwater.storage.spark_settings import spark_access

KEYS = AccessKeys("key-id", "hw-spark-s3cret")


def test_local_files_need_nothing() -> None:
    access = spark_access(parse_location("file:///data/in"), None, None)
    assert (access.url, dict(access.settings), access.jar_set) == ("file:///data/in/", {}, None)


def test_s3_at_an_endpoint_is_path_style_and_per_bucket() -> None:
    connection = StoreConnection(Scheme.S3, "http://127.0.0.1:8333", keys=KEYS)
    access = spark_access(parse_location("s3://sales/my in/"), connection, KEYS)
    assert access.url == "s3a://sales/my in/"
    assert access.jar_set == "s3"
    assert all(name.startswith("fs.s3a.bucket.sales.") for name in access.settings)
    settings = {name.removeprefix("fs.s3a.bucket.sales."): v for name, v in access.settings.items()}
    assert settings["endpoint"] == "http://127.0.0.1:8333"
    assert settings["endpoint.region"] == "us-east-1"
    assert settings["path.style.access"] == "true"
    assert settings["connection.ssl.enabled"] == "false"
    assert settings["access.key"] == "key-id"
    assert settings["secret.key"] == "hw-spark-s3cret"
    assert settings["aws.credentials.provider"].endswith(".SimpleAWSCredentialsProvider")


def test_amazon_itself_needs_the_region_only() -> None:
    connection = StoreConnection(Scheme.S3, region="eu-west-1", keys=KEYS)
    settings = spark_access(parse_location("s3://sales/in"), connection, KEYS).settings
    assert settings["fs.s3a.bucket.sales.endpoint.region"] == "eu-west-1"
    assert "fs.s3a.bucket.sales.endpoint" not in settings
    assert "fs.s3a.bucket.sales.path.style.access" not in settings
    assert "fs.s3a.bucket.sales.checksum.generation" not in settings


def test_temporary_keys_take_another_provider() -> None:
    keys = AccessKeys("key-id", "s", "t0ken")
    connection = StoreConnection(Scheme.S3, region="eu-west-1")
    settings = spark_access(parse_location("s3://sales/in"), connection, keys).settings
    assert settings["fs.s3a.bucket.sales.session.token"] == "t0ken"
    provider = settings["fs.s3a.bucket.sales.aws.credentials.provider"]
    assert provider.endswith(".TemporaryAWSCredentialsProvider")


def test_cos_goes_through_s3a_with_the_account_in_the_bucket() -> None:
    connection = StoreConnection(Scheme.COS, region="ap-shanghai", app_id="125", keys=KEYS)
    access = spark_access(parse_location("cos://sales/in"), connection, KEYS)
    assert access.url == "s3a://sales-125/in/"
    assert access.jar_set == "s3"
    prefix = "fs.s3a.bucket.sales-125."
    assert access.settings[prefix + "endpoint"] == "https://cos.ap-shanghai.myqcloud.com"
    assert access.settings[prefix + "path.style.access"] == "false"
    assert access.settings[prefix + "request.md5.header"] == "true"


def test_oss_goes_through_its_own_driver() -> None:
    connection = StoreConnection(Scheme.OSS, "oss-cn-hangzhou-internal.aliyuncs.com", keys=KEYS)
    access = spark_access(parse_location("oss://sales/in"), connection, KEYS)
    assert access.url == "oss://sales/in/"
    assert access.jar_set == "oss"
    assert access.settings["fs.oss.endpoint"] == "oss-cn-hangzhou-internal.aliyuncs.com"
    assert access.settings["fs.oss.region"] == "cn-hangzhou"
    assert access.settings["fs.oss.signatureversion"] == "V4"
    assert access.settings["fs.oss.connection.secure.enabled"] == "true"


def test_secrets_do_not_show_in_what_is_printed() -> None:
    connection = StoreConnection(Scheme.S3, region="eu-west-1", keys=KEYS)
    access = spark_access(parse_location("s3://sales/in"), connection, KEYS)
    assert "hw-spark-s3cret" not in repr(access)


def test_the_jar_sets_exist_and_are_for_sparks_hadoop() -> None:
    for name, artifact in (("s3", "hadoop-aws:3.5.0"), ("oss", "hadoop-aliyun:3.5.0")):
        coordinates = [jar.coordinate for jar in locked_jars([name])]
        assert f"org.apache.hadoop:{artifact}" in coordinates
        assert not any(":bundle:" in coordinate for coordinate in coordinates)
