#!/usr/bin/env bash
# Builds the executors of the compatibility suite into TARGET/compat-executors, where TARGET is cargo's target folder:
#   java/VERSION/{jars,classes}, java/launcher, go/executor, python/venv
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

build_jars() {
    local version=$1 dir=$out/java/$1
    fresh "$dir/jars.stamp" "$here/executors/java/pom.xml" && return
    echo "java $version: jars"
    rm -rf "$dir/jars"
    # groovy is two thirds of the size and only GLUE_GROOVY needs it
    mvn -q -B -Dstyle.color=never -f "$here/executors/java/pom.xml" dependency:copy-dependencies "-Dxxl.version=$version" \
        -DincludeScope=runtime -DexcludeArtifactIds=groovy "-DoutputDirectory=$dir/jars"
    touch "$dir/jars.stamp"
}

# build_classes SOURCE_FOLDER OUTPUT CLASS_PATH
build_classes() {
    fresh "$2.stamp" "$1" && return
    echo "java: $(basename "$1") -> ${2#"$out"/}"
    rm -rf "$2"
    mkdir -p "$2"
    javac -nowarn -encoding UTF-8 -cp "$3" -d "$2" "$1"/*.java
    touch "$2.stamp"
}

build_java() {
    local version sources
    mkdir -p "$out/java"
    build_classes "$here/executors/java/launcher" "$out/java/launcher" .
    for version in $java_versions; do
        build_jars "$version"
        sources=core-2.3
        [ "$version" = 2.2.0 ] && sources=core-2.2
        build_classes "$here/executors/java/$sources" "$out/java/$version/classes" "$out/java/$version/jars/*"
    done
}

build_go() {
    fresh "$out/go/stamp" "$here/executors/go" && return
    echo "go"
    mkdir -p "$out/go"
    (cd "$here/executors/go" && go build -mod=readonly -o "$out/go/executor" .)
    touch "$out/go/stamp"
}

build_python() {
    fresh "$out/python/stamp" "$here/executors/python/requirements.txt" && return
    echo "python"
    rm -rf "$out/python"
    python3 -m venv "$out/python/venv"
    "$out/python/venv/bin/pip" install -q --disable-pip-version-check -r "$here/executors/python/requirements.txt"
    touch "$out/python/stamp"
}

build_java
build_go
build_python
