/**
 * The commands container files make users with, which Debian's busybox leaves out: `addgroup` and `adduser` with the
 * options of Alpine's, `groupadd` and `useradd` with those of Debian's. They write /etc/passwd and /etc/group only.
 */
const ADD_GROUP = `#!/bin/sh
set -e
gid=
while [ $# -gt 0 ]; do
  case "$1" in
    -g|--gid) gid="$2"; shift 2 ;;
    -*) shift ;;
    *) break ;;
  esac
done
if [ $# -eq 2 ]; then
  sed -i -E "s/^($2:[^:]*:[^:]*:.+)$/\\1,$1/; s/^($2:[^:]*:[^:]*:)$/\\1$1/" /etc/group
  exit 0
fi
name="$1"
if grep -q "^$name:" /etc/group; then echo "group '$name' in use" >&2; exit 1; fi
if [ -z "$gid" ]; then gid=1001; while grep -q ":x:$gid:" /etc/group; do gid=$((gid + 1)); done; fi
echo "$name:x:$gid:" >> /etc/group
`;

const ADD_USER = `#!/bin/sh
set -e
uid= group= home= shell=/bin/sh make=yes
case "$0" in *useradd) debian=yes; make= ;; *) debian= ;; esac
while [ $# -gt 0 ]; do
  case "$1" in
    -u|--uid) uid="$2"; shift 2 ;;
    -G|--ingroup|--groups) [ -n "$group" ] || group="$2"; shift 2 ;;
    -g|--gid|--gecos) [ -z "$debian" ] || group="$2"; shift 2 ;;
    -h|-d|--home|--home-dir) home="$2"; shift 2 ;;
    -s|--shell) shell="$2"; shift 2 ;;
    -k|-c|--comment) shift 2 ;;
    -m|--create-home) make=yes; shift ;;
    -H|-M|--no-create-home) make=; shift ;;
    -*) shift ;;
    *) break ;;
  esac
done
name="$1"
if [ $# -eq 2 ]; then exec addgroup "$1" "$2"; fi
if grep -q "^$name:" /etc/passwd; then echo "user '$name' in use" >&2; exit 1; fi
if [ -z "$uid" ]; then uid=1001; while grep -q ":x:$uid:" /etc/passwd; do uid=$((uid + 1)); done; fi
if [ -z "$group" ]; then grep -q "^$name:" /etc/group || addgroup -g "$uid" "$name"; group="$name"; fi
case "$group" in
  *[!0-9]*) gid="$(sed -n "s/^$group:[^:]*:\\([0-9]*\\):.*/\\1/p" /etc/group)" ;;
  *) gid="$group" ;;
esac
if [ -z "$gid" ]; then echo "unknown group '$group'" >&2; exit 1; fi
home="\${home:-/home/$name}"
echo "$name:x:$uid:$gid::$home:$shell" >> /etc/passwd
if [ -n "$make" ]; then mkdir -p "$home"; chown "$uid:$gid" "$home"; fi
`;

/** Text of each command by its name. */
export const ACCOUNT_COMMANDS = {
  addgroup: ADD_GROUP,
  groupadd: ADD_GROUP,
  adduser: ADD_USER,
  useradd: ADD_USER,
} as const;
