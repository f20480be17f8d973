import { join } from 'node:path';
import { baseEnv } from '../../../adapters/process/base-env.ts';
import { makePrivateFolder } from '../data-folder.ts';
import { minio } from '../tools/minio.ts';
import { definePart } from './embedded-part.ts';

const HOST = '127.0.0.1';
const USER = 'fairlead';
const SECRET_KEY = 'OBJECT_STORE_SECRET_KEY';
const READER = 'fairlead-links';
const READER_SECRET_KEY = 'OBJECT_STORE_LINK_SECRET_KEY';

/**
 * Files of the platform, in MinIO on a folder. The worker alone has the keys of its root user; the API signs links by those
 * of a user who may read.
 */
export const objectStore = definePart({
  name: 'object-store',
  title: 'object store',
  tools: [minio],
  ports: { objectStore: { usual: 9000, variable: 'FAIRLEAD_OBJECT_STORE_PORT', title: 'the object store' } },
  folder: 'objects',
  secrets: [SECRET_KEY, READER_SECRET_KEY],
  replacedBy: 'OBJECT_STORE_HOST',
  replacedWith: ['OBJECT_STORE_INTERNAL_HOST', 'OBJECT_STORE_REGION'],
  starts: 'on first need',
  provides: [
    { variable: 'OBJECT_STORE_HOST', heldBy: 'every process', value: () => `http://${HOST}` },
    { variable: 'OBJECT_STORE_PORT', heldBy: 'every process', value: ({ ports }) => String(ports.objectStore) },
    { variable: 'OBJECT_STORE_LINK_ACCESS_KEY', heldBy: 'every process', value: () => READER },
    {
      variable: 'OBJECT_STORE_LINK_SECRET_KEY',
      heldBy: 'every process',
      value: ({ secret }) => secret(READER_SECRET_KEY),
    },
    { variable: 'OBJECT_STORE_ACCESS_KEY', heldBy: 'worker', value: () => USER },
    { variable: 'OBJECT_STORE_SECRET_KEY', heldBy: 'worker', value: ({ secret }) => secret(SECRET_KEY) },
  ],
  addresses: (ports) => ({ 'object-store': addressOf(ports.objectStore) }),
  credentials: ({ ports, secret }) => ({
    address: addressOf(ports.objectStore),
    'access key': USER,
    'secret key': secret(SECRET_KEY),
  }),
  children: (tool, { dataDir, ports, secret, env }) => {
    const home = join(dataDir, 'objects');
    const address = `${HOST}:${ports.objectStore}`;
    return [
      {
        name: 'object-store',
        command: tool.path,
        args: ['server', '--quiet', '--address', address, '--certs-dir', join(home, 'certs'), join(home, 'data')],
        // Not those of this process: MinIO reads many, and one of a server elsewhere would change this one.
        environment: 'own',
        env: {
          ...baseEnv(env),
          MINIO_ROOT_USER: USER,
          MINIO_ROOT_PASSWORD: secret(SECRET_KEY),
          MINIO_BROWSER: 'off',
          // It would ask its maker for newer versions.
          MINIO_UPDATE: 'off',
        },
        exitsBy: 'watchdog',
        ready: { kind: 'http', url: `http://${address}/minio/health/cluster` },
        readyTimeoutMs: 60_000,
        graceMs: 10_000,
        beforeStart: () => makePrivateFolder(home),
        afterReady: async () => {
          // Loaded here: whoever reads the table of parts does not need it.
          const { ensureReader } = await import('../object-store-reader.ts');
          const admin = { accessKey: USER, secretKey: secret(SECRET_KEY) };
          const reader = { accessKey: READER, secretKey: secret(READER_SECRET_KEY) };
          await ensureReader(addressOf(ports.objectStore), admin, reader);
        },
      },
    ];
  },
});

const addressOf = (port: number): string => `http://${HOST}:${port}`;
