#!/bin/sh
# sh cmake/instead.sh <word> <other> <command>... : runs the command with <other> in the place of <word>.
# SPDX-License-Identifier: MIT
word=$1
other=$2
shift 2
for argument; do
    shift
    [ "$argument" != "$word" ] || argument=$other
    set -- "$@" "$argument"
done
exec "$@"
