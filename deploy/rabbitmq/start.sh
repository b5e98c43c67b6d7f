#!/bin/sh
# Starts RabbitMQ in a container with the users of definitions.json. Their passwords are mounted as files and are in no
# variable. Usage: start.sh [FOLDER OF THE FILES [DEFINITIONS TO WRITE]]
set -eu
umask 077
secrets=${1:-/run/secrets}
definitions=${2:-/tmp/definitions.json}

# Returns the password in a file, which contains the password alone or an AMQP URL.
password() {
  value=$(cat "$secrets/$1")
  value=${value#*://*:}
  value=${value%@*}
  case $value in
    '' | *[!A-Za-z0-9._~-]*)
      echo "$1: the password must consist of letters, digits and . _ ~ -" >&2
      exit 78
      ;;
  esac
  echo "$value"
}

replacements=
for name in rabbitmq-admin rabbitmq-worker rabbitmq-caller rabbitmq-demo; do
  replacement=$(password "$name")
  replacements="${replacements}s/@$name@/$replacement/;"
done
sed "$replacements" "$(dirname "$0")/definitions.json" >"$definitions"

exec docker-entrypoint.sh rabbitmq-server
