#!/usr/bin/env bash
# Builds the executors and console clients of the compatibility suite into TARGET/compat-executors, where TARGET is
# cargo's target folder:
#   java/VERSION/{jars,classes}, java/launcher, go/executor, python/venv, auto/{jars,release-N}, xxl-admin-sh/venv
# Each part has a stamp and is built again only when its sources are newer, so a second run does nothing and needs no
# network. Needs a JDK 17, Maven, Go 1.22 and Python 3.10 (or later each).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
out=${CARGO_TARGET_DIR:-$here/../target}/compat-executors
java_versions="2.2.0 2.3.1 2.4.2 2.5.0 3.0.0 3.1.1 3.2.0 3.3.2"
mkdir -p "$out"
out=$(cd "$out" && pwd)

# fresh STAMP SOURCE...: is the stamp there and newer than every source?
fresh() {
    local stamp=$1
    shift
    [ -e "$stamp" ] && [ -z "$(find "$@" -newer "$stamp" -print -quit)" ]
}

# copy_jars POM OUTPUT [EXCLUDED [MAVEN_ARGUMENT...]]
copy_jars() {
    local pom=$1 jars=$2 excluded=${3:-}
    fresh "$jars.stamp" "$pom" && return
    echo "jars -> ${jars#"$out"/}"
    rm -rf "$jars"
    mvn -q -B -Dstyle.color=never -f "$pom" dependency:copy-dependencies -DincludeScope=runtime \
        "-DexcludeArtifactIds=$excluded" "-DoutputDirectory=$jars" "${@:4}"
    touch "$jars.stamp"
}

javac_flags=()

# compile OUTPUT CLASS_PATH SOURCE_FOLDER...
compile() {
    local output=$1 class_path=$2
    shift 2
    fresh "$output.stamp" "$@" && return
    echo "classes -> ${output#"$out"/}"
    rm -rf "$output"
    mkdir -p "$output"
    find "$@" -name '*.java' -print0 |
        xargs -0 javac "${javac_flags[@]}" -nowarn -encoding UTF-8 -cp "$class_path" -d "$output"
    touch "$output.stamp"
}

build_java() {
    local version sources
    mkdir -p "$out/java"
    compile "$out/java/launcher" . "$here/executors/java/launcher"
    for version in $java_versions; do
        # groovy is two thirds of the size and only GLUE_GROOVY needs it
        copy_jars "$here/executors/java/pom.xml" "$out/java/$version/jars" groovy "-Dxxl.version=$version"
        sources=core-2.3
        [ "$version" = 2.2.0 ] && sources=core-2.2
        compile "$out/java/$version/classes" "$out/java/$version/jars/*" "$here/executors/java/$sources"
    done
}

build_go() {
    fresh "$out/go/stamp" "$here/executors/go" && return
    echo "go"
    mkdir -p "$out/go"
    (cd "$here/executors/go" && go build -mod=readonly -o "$out/go/executor" .)
    touch "$out/go/stamp"
}

# build_venv REQUIREMENTS OUTPUT
build_venv() {
    fresh "$2/stamp" "$1" && return
    echo "python -> ${2#"$out"/}"
    rm -rf "$2"
    python3 -m venv "$2/venv"
    "$2/venv/bin/pip" install -q --disable-pip-version-check -r "$1"
    touch "$2/stamp"
}

# Two releases of an application that differ in the schedule of its job.
build_auto() {
    # Its Spring cannot read classes of a later Java.
    local release javac_flags=(--release 11)
    mkdir -p "$out/auto"
    copy_jars "$here/clients/auto/pom.xml" "$out/auto/jars"
    for release in release-1 release-2; do
        compile "$out/auto/$release" "$out/auto/jars/*" "$here/clients/auto/app" "$here/clients/auto/$release"
    done
}

build_java
build_go
build_venv "$here/executors/python/requirements.txt" "$out/python"
build_auto
build_venv "$here/clients/requirements.txt" "$out/xxl-admin-sh"
