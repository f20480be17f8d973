/**
 * Looks for secrets and for ways out wherever a program can. LOOK is JSON: `hashes`, SHA-256 of secrets by their kind, and
 * `folders` of the machine. Prints `FOUND <kind> <place>` for a secret, and `OPEN <what>` for something that ought to be closed.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { connect } from 'node:net';

const { hashes, folders } = JSON.parse(readFileSync(new URL('look.json', import.meta.url), 'utf8'));
const kinds = new Map(Object.entries(hashes).map(([kind, hash]) => [hash, kind]));
const lines = [];
let looked = 0;

function search(place, text) {
  looked += 1;
  for (const [word] of text.matchAll(/[\w+/=-]{20,200}/g)) {
    for (const form of [word, Buffer.from(word, 'base64').toString('latin1').split(':').at(-1)]) {
      const kind = kinds.get(createHash('sha256').update(form).digest('hex'));
      if (kind !== undefined) lines.push(`FOUND ${kind} ${place}`);
    }
  }
}

function read(path) {
  try {
    const file = openSync(path, 'r');
    const bytes = Buffer.alloc(256 * 1024);
    search(path, bytes.toString('latin1', 0, readSync(file, bytes)));
    return true;
  } catch {
    return false;
  }
}

function walk(folder, depth) {
  let names = [];
  try {
    names = readdirSync(folder);
  } catch {
    return;
  }
  for (const name of names) {
    const path = `${folder}/${name}`;
    try {
      if (statSync(path).isDirectory()) {
        if (depth > 0) walk(path, depth - 1);
      } else if (statSync(path).isFile()) read(path);
    } catch {
      // Gone, or closed.
    }
  }
}

/** Something that only succeeds where a boundary is open. */
function attempt(what, act) {
  try {
    if (act() !== false) lines.push(`OPEN ${what}`);
  } catch {
    // Closed.
  }
}

const shell = (command) => execFileSync('/bin/sh', ['-c', command], { stdio: 'ignore', timeout: 5_000 });

/** Of every group of the first version that is a root, as those of the machine are. */
function releaseAgents() {
  try {
    return readdirSync('/sys/fs/cgroup').map((name) => `/sys/fs/cgroup/${name}/release_agent`);
  } catch {
    return [];
  }
}

search('environment', JSON.stringify(process.env));
for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
  for (const name of ['environ', 'cmdline', 'mountinfo', 'root/root/.ssh/id_ed25519']) read(`/proc/${pid}/${name}`);
}
for (const folder of ['/app', '/root', '/home', '/run', '/etc', '/tmp', '/mnt', '/media', '/var/run', ...folders])
  walk(folder, 3);
for (const name of ['/dev/mem', '/dev/kmsg', '/dev/sda', '/dev/vda', '/dev/nvme0n1']) attempt(name, () => read(name));
for (const [major, minor] of [
  [8, 0],
  [254, 0],
  [253, 0],
  [259, 0],
]) {
  const path = `/tmp/disk-${major}`;
  attempt(`disk ${major}:${minor}`, () => {
    shell(`mknod ${path} b ${major} ${minor}`);
    return read(path);
  });
}
attempt('mount', () => shell('mkdir -p /tmp/m && mount -t tmpfs none /tmp/m'));
attempt('mount of the host', () => shell('mkdir -p /tmp/h && mount --bind /proc/1/root /tmp/h'));
attempt('a user namespace with a mount', () => shell('unshare -Ur mount -t tmpfs none /mnt'));
for (const path of [
  '/proc/sys/kernel/core_pattern',
  '/proc/sysrq-trigger',
  '/sys/kernel/uevent_helper',
  ...releaseAgents(),
]) {
  attempt(path, () => void openSync(path, 'r+'));
}
await Promise.all(
  [
    '/var/run/docker.sock',
    '/run/docker.sock',
    '/run/containerd/containerd.sock',
    ...folders.map((folder) => `${folder}/builds/http.sock`),
  ].map(
    (path) =>
      new Promise((resolve) => {
        const socket = connect(path, () => {
          lines.push(`OPEN ${path}`);
          socket.destroy();
        });
        socket.on('error', resolve);
        socket.on('close', resolve);
      }),
  ),
);
lines.push(`looked at ${looked}`);
console.log(lines.join('\n'));
