#!/bin/sh
# 빌드한다
set -e

make all

make test
