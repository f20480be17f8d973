import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type ClusterApi, createClusterApi } from '../../../adapters/kubernetes/cluster-api.ts';
import { readKubeConfig } from '../../../adapters/kubernetes/workload-runtime.ts';
import { ensureCredentials, kubeconfigOf } from '../../../infra/dev/cluster/cluster-credentials.ts';
import { clusterPaths } from '../../../infra/dev/cluster/cluster-folder.ts';

export interface Asked {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly type: string | undefined;
  readonly authorization: string | undefined;
  readonly body: string;
}

/** A server with the certificates of a cluster, which answers what a test says: for what a real one cannot be brought to say. */
export async function startAnswering(
  answer: (asked: Asked, response: ServerResponse) => void,
): Promise<{ api: ClusterApi; kubeconfig: string; asked: readonly Asked[]; close: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-cluster-api-'));
  const paths = clusterPaths(folder);
  await ensureCredentials(paths);
  const [cert, key] = await Promise.all(
    ['apiserver.pem', 'apiserver.key'].map((name) => readFile(join(paths.pki, name))),
  );
  const asked: Asked[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: path = '', headers } = request;
    const { 'content-type': type, authorization } = headers;
    const one = { method, path, type, authorization, body: await text(request) };
    asked.push(one);
    answer(one, response);
  };
  const server = createServer(
    { cert: cert ?? '', key: key ?? '' },
    (request, response) => void take(request, response),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await writeFile(paths.kubeconfig, await kubeconfigOf(paths, 'admin', port));
  return {
    ...{ asked, kubeconfig: paths.kubeconfig },
    api: createClusterApi(() => readKubeConfig(paths.kubeconfig)),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
    },
  };
}

/** How the API server says that it refuses. */
export function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code: status }));
}
