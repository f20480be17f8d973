import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ACCOUNT_COMMANDS } from './account-commands.ts';
import { debianPackages, type PartSource, run } from './machine-parts.ts';
import type { RootEntry } from './root-archive.ts';

/** Where every stand-in has the machine's certificate authorities. */
export const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

const MACHINE_CERTIFICATES = [CERTIFICATES, '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/cert.pem'];

/** Applets that would only mislead: package managers that are not there, and power control. */
const LEFT_OUT = new Set(['dpkg', 'dpkg-deb', 'rpm', 'rpm2cpio', 'init', 'linuxrc', 'halt', 'poweroff', 'reboot']);

/**
 * What every stand-in begins with: a shell and the usual commands from busybox, certificate authorities, users
 * (root, node 1000, nginx 101, nobody), temporary folders.
 */
export async function baseRoot(source: PartSource): Promise<RootEntry[]> {
  const busybox = join(await debianPackages('busybox-static', ['busybox-static'], source), 'bin/busybox');
  const applets = (await run(busybox, ['--list'], '/', source)).split('\n').filter((name) => /^[\w[.-]+$/.test(name));
  return [
    { path: 'bin/busybox', kind: 'file', from: busybox, mode: 0o755 },
    ...applets
      .filter((name) => !LEFT_OUT.has(name) && name !== 'busybox')
      .map((name): RootEntry => ({ path: `bin/${name}`, kind: 'link', target: '/bin/busybox' })),
    ...Object.entries(ACCOUNT_COMMANDS).map(
      ([name, text]): RootEntry => ({ path: `usr/sbin/${name}`, kind: 'text', text, mode: 0o755 }),
    ),
    { path: 'usr/bin/env', kind: 'link', target: '/bin/busybox' },
    ...certificates(source),
    ...accounts(),
    ...['tmp', 'var/tmp'].map((path): RootEntry => ({ path, kind: 'directory', mode: 0o1777 })),
    { path: 'root', kind: 'directory', mode: 0o700 },
    { path: 'home/node', kind: 'directory', uid: 1000 },
    ...['dev', 'proc', 'sys', 'run', 'sbin', 'usr/sbin', 'usr/local/bin', 'usr/local/sbin', 'opt', 'srv'].map(
      (path): RootEntry => ({ path, kind: 'directory' }),
    ),
  ];
}

/** The machine's bundle of certificate authorities, its owner's own ones included. Public data only. */
export function certificateBundle(env: PartSource['env']): string | null {
  const named = env.NODE_EXTRA_CA_CERTS;
  return [...(named === undefined ? [] : [named]), ...MACHINE_CERTIFICATES].find((path) => existsSync(path)) ?? null;
}

function certificates(source: PartSource): RootEntry[] {
  const bundle = certificateBundle(source.env);
  return bundle === null ? [] : [{ path: CERTIFICATES.slice(1), kind: 'file', from: bundle, mode: 0o644 }];
}

function accounts(): RootEntry[] {
  const users = [
    ['root', 0, '/root', '/bin/sh'],
    ['node', 1000, '/home/node', '/bin/sh'],
    ['nginx', 101, '/nonexistent', '/bin/false'],
    ['www-data', 33, '/var/www', '/bin/false'],
    ['nobody', 65534, '/nonexistent', '/bin/false'],
  ] as const;
  const lines = (line: (user: (typeof users)[number]) => string): string =>
    users.map((user) => `${line(user)}\n`).join('');
  return [
    {
      path: 'etc/passwd',
      kind: 'text',
      text: lines(([n, id, home, shell]) => `${n}:x:${id}:${id}:${n}:${home}:${shell}`),
    },
    { path: 'etc/group', kind: 'text', text: lines(([name, id]) => `${name}:x:${id}:`) },
    { path: 'etc/shadow', kind: 'text', text: lines(([name]) => `${name}:*:19000:0:99999:7:::`), mode: 0o600 },
    { path: 'etc/nsswitch.conf', kind: 'text', text: 'hosts: files dns\n' },
    { path: 'etc/os-release', kind: 'text', text: 'ID=fairlead\nNAME="Fairlead local stand-in image"\n' },
  ];
}
