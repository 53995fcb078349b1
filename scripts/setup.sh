#!/usr/bin/env bash
# Brings a machine to the state the Makefile's targets need, and does nothing where that is so.
#
#   scripts/setup.sh [JAR_SET...]   .venv with the locked dependencies, Java, the jars
#   scripts/setup.sh --postgres     PostgreSQL's server programs, which only the tests need
#   scripts/setup.sh --browser      Chromium, which only the tests of Studio need
#   scripts/setup.sh --dbt          .venv-dbt with dbt, for examples/dbt and its test
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

STAMP=.venv/.headwater-setup
PYTHON=.venv/bin/python

say() { echo "setup: $*" >&2; }
stop() { say "$*"; exit 1; }

# Prints the command prefix under which apt-get may install; fails where there is none.
apt_prefix() {
    command -v apt-get >/dev/null || return 1
    if [ "$(id -u)" = 0 ]; then
        echo env
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        echo "sudo -n env"
    else
        return 1
    fi
}

# Runs a command and shows what it printed only if it failed.
quietly() {
    local printed
    if ! printed=$("$@" 2>&1); then
        echo "$printed" >&2
        return 1
    fi
}

# Installs the first of the packages that this release of the distribution has.
apt_install_first_of() {
    local prefix package
    prefix=$(apt_prefix) || return 1
    # shellcheck disable=SC2086 # the prefix is several words
    quietly $prefix apt-get update -qq -o Acquire::Retries=3 ||
        say "apt-get update failed, so the package lists stay as they are"
    for package in "$@"; do
        apt-cache show "$package" >/dev/null 2>&1 || continue
        say "installing $package with apt-get"
        # shellcheck disable=SC2086
        quietly $prefix DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
            --no-install-recommends -o Acquire::Retries=3 "$package"
        return
    done
    return 1
}

find_python() {
    local name
    for name in python3.11 python3.12 python3.13 python3; do
        # Asking for the version also weeds out the placeholders of version managers.
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$name"
            return
        fi
    done
    return 1
}

make_venv() {
    local python folder=$1
    "$folder/bin/python" -c 'import pip' 2>/dev/null && return
    python=$(find_python) || stop "Python 3.11 or newer is needed and was not found on the PATH"
    if ! "$python" -c 'import ensurepip' 2>/dev/null; then
        apt_install_first_of python3-venv ||
            stop "$python cannot make virtual environments: install its venv module" \
                "(Debian: python3-venv)"
    fi
    "$python" -m venv --clear "$folder"
}

# Installs a lock file, which has everything: to resolve it again would take longer than to install it.
install_lock() {
    local python=$1/bin/python lock=$2
    export PIP_DISABLE_PIP_VERSION_CHECK=1
    if "$python" -m pip install --quiet -r scripts/uv.lock && install_with_uv "$python" "$lock"; then
        return
    fi
    say "uv could not install $lock, so pip does, which takes some minutes more"
    # pyspark comes as source only; --use-pep517 builds it the same way with old and new pip.
    "$python" -m pip install --quiet --use-pep517 --no-deps -r "$lock"
}

# A sixth of pip's time; it trusts the certificates of the system, as pip is told to by its settings.
install_with_uv() {
    UV_SYSTEM_CERTS=1 UV_NATIVE_TLS=1 quietly "$1" -m uv pip install --quiet --python "$1" \
        --no-deps --require-hashes -r "$2"
}

install_dependencies() {
    if [ "$STAMP" -nt requirements.lock ] && [ "$STAMP" -nt pyproject.toml ]; then
        return
    fi
    say "installing the locked dependencies into .venv"
    install_lock .venv requirements.lock
    "$PYTHON" -m pip install --quiet --no-build-isolation --no-deps -e .
    touch "$STAMP"
}

ensure_java() {
    "$PYTHON" -m headwater.lake.java >/dev/null 2>&1 && return
    apt_install_first_of openjdk-{17,21}-jre-headless default-jre-headless || true
    "$PYTHON" -m headwater.lake.java >/dev/null
}

ensure_jars() {
    "$PYTHON" -m headwater.lake.jars delta "$@" >/dev/null
}

# A start without it works and takes twice as long.
ensure_class_archive() {
    "$PYTHON" -m headwater.lake.class_archive >/dev/null || true
}

# dbt's pins do not go together with those of the lint tools.
ensure_dbt() {
    local lock=examples/dbt/requirements.lock stamp=.venv-dbt/.headwater-setup
    [ "$stamp" -nt "$lock" ] && return
    make_venv .venv-dbt
    say "installing dbt into .venv-dbt"
    install_lock .venv-dbt "$lock"
    touch "$stamp"
}

postgres_found() {
    compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || command -v initdb >/dev/null
}

# The tests start their own server; Debian's package would also create and start one for the system.
ensure_postgres() {
    local prefix drop_in=/etc/postgresql-common/createcluster.d/headwater.conf
    postgres_found && return
    if prefix=$(apt_prefix); then
        # shellcheck disable=SC2086
        $prefix sh -c "mkdir -p '${drop_in%/*}' && echo 'create_main_cluster = false' > '$drop_in'"
        apt_install_first_of postgresql || true
        # shellcheck disable=SC2086
        $prefix rm -f "$drop_in"
    fi
    postgres_found ||
        say "PostgreSQL's server programs are missing and could not be installed," \
            "so the tests that need them are skipped"
}

browser_found() {
    command -v chromium || command -v chromium-browser || command -v google-chrome
}

ensure_browser() {
    browser_found >/dev/null && return
    apt_install_first_of chromium chromium-browser || true
    browser_found >/dev/null ||
        say "Chromium is missing and could not be installed, so the tests of Studio fail"
}

if [ "${1:-}" = --postgres ]; then
    ensure_postgres
elif [ "${1:-}" = --browser ]; then
    ensure_browser
elif [ "${1:-}" = --dbt ]; then
    ensure_dbt
else
    make_venv .venv
    install_dependencies
    ensure_java
    ensure_jars "$@" || { say "trying the jars once more"; sleep 5; ensure_jars "$@"; }
    ensure_class_archive
fi
