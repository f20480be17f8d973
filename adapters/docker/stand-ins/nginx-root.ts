import { join } from 'node:path';
import { debianPackages, libraryDependencies, libraryEntries, type PartSource } from './machine-parts.ts';
import { folderEntries, type RootEntry } from './root-archive.ts';

/** The main configuration of the official image; Debian's own includes folders that are not there. */
const NGINX_CONF = `user  nginx;
worker_processes  auto;
error_log  /var/log/nginx/error.log notice;
pid        /var/run/nginx.pid;
events { worker_connections  1024; }
http {
    include       /etc/nginx/mime.types;
    default_type  application/octet-stream;
    access_log  /var/log/nginx/access.log;
    sendfile        on;
    keepalive_timeout  65;
    include /etc/nginx/conf.d/*.conf;
}
`;

const DEFAULT_CONF = `server {
    listen       80;
    server_name  localhost;
    location / {
        root   /usr/share/nginx/html;
        index  index.html index.htm;
    }
}
`;

const LIBRARY_FOLDERS = [
  'usr/lib/x86_64-linux-gnu',
  'usr/lib/aarch64-linux-gnu',
  'lib/x86_64-linux-gnu',
  'lib/aarch64-linux-gnu',
];

/** nginx as Debian has it, unpacked. */
export interface NginxProgram {
  /** Folder of its package and of those with its libraries. */
  readonly root: string;
  readonly program: string;
  /** Where its libraries are. */
  readonly libraryFolders: readonly string[];
}

export async function nginxProgram(source: PartSource): Promise<NginxProgram> {
  const libraries = await libraryDependencies('nginx', source);
  const root = await debianPackages('nginx', ['nginx', 'nginx-common', ...libraries], source);
  const libraryFolders = LIBRARY_FOLDERS.map((folder) => join(root, folder));
  return { root, program: join(root, 'usr/sbin/nginx'), libraryFolders };
}

/** nginx from Debian's package with the libraries it needs, laid out as in the official image. */
export async function nginxRoot(source: PartSource): Promise<RootEntry[]> {
  const { root, program, libraryFolders } = await nginxProgram(source);
  const settings = (await folderEntries(join(root, 'etc/nginx'), 'etc/nginx')).filter(
    ({ path }) => !/^etc\/nginx\/(sites-|modules-|snippets|nginx\.conf)/.test(path),
  );
  return [
    { path: 'usr/sbin/nginx', kind: 'file', from: program, mode: 0o755 },
    ...(await libraryEntries(program, source, libraryFolders)),
    ...settings,
    { path: 'etc/nginx/nginx.conf', kind: 'text', text: NGINX_CONF },
    { path: 'etc/nginx/conf.d/default.conf', kind: 'text', text: DEFAULT_CONF },
    { path: 'usr/share/nginx/html/index.html', kind: 'text', text: '<!doctype html><title>nginx</title>It works.\n' },
    { path: 'docker-entrypoint.sh', kind: 'text', text: '#!/bin/sh\nexec "$@"\n', mode: 0o755 },
    { path: 'docker-entrypoint.d', kind: 'directory' },
    { path: 'var/log/nginx/access.log', kind: 'link', target: '/dev/stdout' },
    { path: 'var/log/nginx/error.log', kind: 'link', target: '/dev/stderr' },
    { path: 'var/run', kind: 'link', target: '/run' },
    { path: 'var/cache/nginx', kind: 'directory', uid: 101 },
    ...['body', 'fastcgi', 'proxy', 'scgi', 'uwsgi'].map(
      (name): RootEntry => ({ path: `var/lib/nginx/${name}`, kind: 'directory', uid: 101 }),
    ),
  ];
}

/** Configuration of the nginx stand-in, as instructions of a container file. */
export const NGINX_CONFIG = [
  'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  'EXPOSE 80',
  'ENTRYPOINT ["/docker-entrypoint.sh"]',
  'CMD ["nginx", "-g", "daemon off;"]',
];
