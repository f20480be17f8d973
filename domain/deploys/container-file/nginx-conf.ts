import { FairleadError } from '../../errors.ts';

/**
 * The web server's own configuration for static sites: no root, nothing written outside /tmp. The `types` block stands
 * at the level of the included map, so it appends to it (spec 2, step 4).
 */
export function nginxConf({
  port,
  healthEndpoint,
  singlePage,
}: {
  readonly port: number;
  readonly healthEndpoint: string;
  /** True when paths without a file are the one page's, which has no file of its own for them. */
  readonly singlePage: boolean;
}): string {
  return `worker_processes 1;
pid /tmp/nginx.pid;
error_log stderr warn;
events { worker_connections 1024; }
http {
  include /etc/nginx/mime.types;
  types {
    text/markdown md;
    text/javascript mjs;
    application/manifest+json webmanifest;
    font/ttf ttf;
    font/otf otf;
  }
  default_type application/octet-stream;
  access_log /dev/stdout;
  client_body_temp_path /tmp/client_body;
  proxy_temp_path /tmp/proxy;
  fastcgi_temp_path /tmp/fastcgi;
  uwsgi_temp_path /tmp/uwsgi;
  scgi_temp_path /tmp/scgi;
  server_tokens off;
  sendfile on;
  gzip on;
  gzip_types text/css text/javascript application/javascript application/json image/svg+xml;
  server {
    listen ${port};
    root /usr/share/nginx/html;
    index index.html;
    absolute_redirect off;
${healthLocation(healthEndpoint)}    location ~ /\\.(?!well-known/) { return 404; }
${pageLocation(singlePage)}  }
}
`;
}

/** Writes the health answer, with the commit when it is known, and becomes the web server. */
export const NGINX_START_SCRIPT = `#!/bin/sh
case "$GIT_COMMIT" in
  ''|*[!0-9A-Za-z._-]*) printf '{"status":"ok"}' > /tmp/health.json ;;
  *) printf '{"status":"ok","commit":"%s"}' "$GIT_COMMIT" > /tmp/health.json ;;
esac
exec nginx -c /etc/nginx/app.conf -e stderr -g 'daemon off;'
`;

/**
 * A page goes before a folder of its name (`blog.html` beside `blog/`), which has its own page only as `index.html`. A missing picture
 * or script is missing, also where each other path is the one page.
 */
function pageLocation(singlePage: boolean): string {
  const otherwise = singlePage ? '/index.html' : '=404';
  const locations = `    location ~ ^(.*)/$ { try_files \${uri}index.html $1.html ${otherwise}; }
    location / { try_files $uri $uri.html $uri/ ${otherwise}; }
`;
  if (!singlePage) return `    error_page 404 /404.html;\n${locations}`;
  const endings = 'js|mjs|css|map|json|png|jpe?g|gif|svg|ico|webp|avif|woff2?|ttf|otf|wasm|txt|xml';
  return `    location ~* \\.(?:${endings})$ { try_files $uri =404; }
${locations}`;
}

/** The root of the site stays the site: there the page itself is the health answer. */
function healthLocation(healthEndpoint: string): string {
  if (healthEndpoint === '/') return '';
  if (!/^\/[\w./~-]+$/.test(healthEndpoint)) {
    const remedy = 'use letters, digits, dots, dashes and slashes in platform.io/health-endpoint';
    throw new FairleadError('CONTAINER_FILE_INVALID', `health endpoint ${JSON.stringify(healthEndpoint)}: ${remedy}`);
  }
  return `    location = ${healthEndpoint} {
      types { }
      default_type application/json;
      add_header Cache-Control no-store;
      alias /tmp/health.json;
    }
`;
}
