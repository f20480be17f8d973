import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCertificateFiles } from '../../../adapters/edge-router/certificate-files.ts';
import { createEdgeHosts } from '../../../adapters/edge-router/host-files.ts';
import { createEdgeRouter } from '../../../adapters/edge-router/route-files.ts';
import { createTestAuthority } from '../../support/test-authority.ts';
import { processCpu } from './process-cpu.ts';

export interface Listening {
  readonly plain: number;
  readonly tls: number;
  /** µs of CPU that it has used. */
  cpu(): Promise<number>;
}

/** A router with so many hosts, each with a certificate of its own, before one service; and a bare server with one of them. */
export async function setUpEdge(hosts: number) {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-bench-edge-'));
  const children: ChildProcess[] = [];
  const start = async (...args: readonly string[]): Promise<Listening> => {
    const child = fork(join(import.meta.dirname, 'edge-tls-process.ts'), args);
    children.push(child);
    const [ports] = (await once(child, 'message')) as [{ readonly plain: number; readonly tls: number }];
    return { ...ports, cpu: () => processCpu(child.pid ?? 0) };
  };
  const authority = await createTestAuthority();
  const certificates = createCertificateFiles(folder);
  const edgeHosts = createEdgeHosts(folder);
  const names = Array.from({ length: hosts }, (_, index) => `host-${index}.example.com`);
  for (const host of names) {
    await certificates.put(host, await authority.issue([host]));
    await edgeHosts.put(host, { service: 'shop', environment: 'prod', serves: 'everything', redirectToTls: false });
  }
  const upstream = await start('upstream');
  const router = createEdgeRouter({ routesDirectory: folder, domain: 'localhost', port: 1 });
  await router.route('shop', 'prod', { workloadId: 'x', address: `http://127.0.0.1:${upstream.plain}` }, 1);
  return {
    ...{ names, root: authority.root },
    router: await start('router', folder),
    bare: await start('bare', join(folder, 'certificates', `${names[0]}.pem`)),
    async stop(): Promise<void> {
      for (const child of children) child.disconnect();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
