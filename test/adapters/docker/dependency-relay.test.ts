import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { dependencySocket } from '../../../adapters/docker/relay/dependency-routes.ts';
import { stopStack } from '../../../adapters/docker/stack-teardown.ts';
import { createWorkloadRuntime } from '../../../adapters/docker/workload-runtime.ts';
import { createDependencyProxy, type DependencyProxy } from '../../../adapters/edge-router/dependency-proxy.ts';
import { createPlatformProxy } from '../../../adapters/edge-router/platform-proxy.ts';
import { createEdgeRouter } from '../../../adapters/edge-router/route-files.ts';
import { dependencyUrl } from '../../../domain/deploys/dependency.ts';
import type { EdgeRouter, Workload, WorkloadRuntime, WorkloadSpec } from '../../../domain/deploys/workload-runtime.ts';
import { recordingContext, untilHealthy, workloadSpec } from '../../ports/workload-runtime.ts';
import { createTestStack, docker, type TestStack } from './engine-fixture.ts';

/** Asks whom it is told to from inside its container, with the Host header it is told; says who it is otherwise. */
const PROGRAM = `
const { createServer, request } = require('node:http');
createServer((incoming, response) => {
  const { pathname, searchParams } = new URL(incoming.url, 'http://x');
  if (pathname !== '/ask') return response.end('this is ' + process.env.NAME);
  const url = process.env[searchParams.get('variable')] ?? searchParams.get('url');
  const host = searchParams.get('host');
  request(url, host ? { headers: { host } } : {}, (answer) => answer.pipe(response))
    .on('error', (error) => response.end('failed: ' + error.code)).end();
}).listen(Number(process.env.PORT), '0.0.0.0');
`;
const FILES = {
  'server.cjs': PROGRAM,
  Dockerfile: 'FROM node:24-alpine\nWORKDIR /app\nCOPY server.cjs .\nUSER 1001\nCMD ["node", "server.cjs"]\n',
};
const ENVIRONMENT = 'sandbox';
const urlOf = (service: string, port = 3000) => dependencyUrl({ service, environment: ENVIRONMENT }, port);

describe('a workload that depends on another', () => {
  let stack: TestStack;
  let folder: string;
  let router: EdgeRouter;
  let proxies: readonly { readonly server: Server; close(graceMs: number): Promise<void> }[];
  let runtime: WorkloadRuntime;
  let image: string;
  let epoch = 0;

  before(async () => {
    stack = await createTestStack();
    folder = await mkdtemp(join(tmpdir(), 'fairlead-edge-'));
    await chmod(folder, 0o755);
    const routesDirectory = join(folder, 'routes');
    const onError = () => undefined;
    router = createEdgeRouter({ routesDirectory, domain: 'localhost', port: 1 });
    const socket = join(folder, 'http.sock');
    const dependencies: DependencyProxy = createDependencyProxy({ routesDirectory, onError });
    const platform = createPlatformProxy({ addresses: [], onError });
    for (const [{ server }, path] of [
      [platform, socket],
      [dependencies, dependencySocket(socket)],
    ] as const) {
      await new Promise<void>((resolve) => server.listen(path, resolve));
      await chmod(path, 0o666);
    }
    proxies = [dependencies, platform];
    image = await stack.pushed('caller', FILES);
    const { stackId, registry } = stack;
    const access = { socket, ports: [], image: async () => 'node:24-alpine' };
    runtime = createWorkloadRuntime({ docker, stackId, registry, now: () => new Date(), platform: access });
  });
  after(async () => {
    await stack.dispose();
    await Promise.all(proxies.map((proxy) => proxy.close(0)));
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (service: string, changes: Partial<WorkloadSpec> = {}): Promise<Workload> => {
    const { env = {}, port = 3000 } = changes;
    const own = { ...env, NAME: service, PORT: String(port) };
    const spec = workloadSpec(image, { service, environment: ENVIRONMENT, ...changes, env: own });
    const workload = await runtime.start(spec, recordingContext());
    await untilHealthy(runtime, workload);
    return workload;
  };
  /** Starts a service and leads its public route to it, as a deploy does. */
  const deployed = async (service: string): Promise<Workload> => {
    const workload = await start(service);
    epoch += 1;
    await router.route(service, ENVIRONMENT, { workloadId: workload.id, address: workload.address }, epoch);
    return workload;
  };
  const ask = async ({ address }: Workload, query: Readonly<Record<string, string>>) =>
    (await fetch(`${address}/ask?${new URLSearchParams(query)}`)).text();
  const shopAsCalled = { dependencies: [{ service: 'shop', url: urlOf('shop') }], env: { SHOP_URL: urlOf('shop') } };

  it('reaches it by the address that it is given, across redeploys of either, and no other service', async () => {
    const [shop, secret] = await Promise.all([deployed('shop'), deployed('secret')]);
    const caller = await start('caller', shopAsCalled);
    const callShop = (workload: Workload) => ask(workload, { variable: 'SHOP_URL' });
    assert.equal(await callShop(caller), 'this is shop');

    const undeclared = [
      { url: urlOf('secret') },
      { url: urlOf('shop'), host: new URL(urlOf('secret')).host },
      { url: urlOf('shop'), host: 'secret.sandbox.localhost:8000' },
      { url: urlOf('shop'), host: 'localhost:3002' },
      { url: 'http://127.78.0.2:7600/', host: new URL(urlOf('secret')).host },
      { url: 'http://127.0.0.1:7600/', host: new URL(urlOf('shop')).host },
      { url: secret.address },
      { url: 'http://secret.sandbox.localhost:8000/' },
    ];
    for (const query of undeclared) {
      const said = await ask(caller, query);
      assert.match(said, /^failed: (?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED)$|This address is of another service/, said);
    }

    const newShop = await deployed('shop');
    await runtime.remove(shop, 1);
    assert.equal(await callShop(caller), 'this is shop', 'by the same address');
    await router.unroute('shop', ENVIRONMENT, epoch + 1);
    assert.match(await callShop(caller), /Nothing is deployed here/);
    for (const workload of [newShop, secret, caller]) await runtime.remove(workload, 1);
  });

  it('reaches no later service of its name', async () => {
    const shop = await start('shop');
    const { id: workloadId, address } = shop;
    const deployAs = async (serviceId: string): Promise<void> => {
      epoch += 10;
      await router.route('shop', ENVIRONMENT, { serviceId, workloadId, address }, epoch);
    };
    const [dependency] = shopAsCalled.dependencies;
    assert.ok(dependency);
    const dependencies = [{ ...dependency, serviceId: 'svc_first' }];
    const caller = await start('caller', { ...shopAsCalled, dependencies });
    const call = () => ask(caller, { variable: 'SHOP_URL' });
    await deployAs('svc_first');
    assert.equal(await call(), 'this is shop');
    await deployAs('svc_second');
    assert.match(await call(), /Another service has this name by now/);
    for (const workload of [shop, caller]) await runtime.remove(workload, 1);
  });

  it('reaches it after a stop of the stack', async () => {
    epoch += 10;
    const shop = await deployed('shop');
    const caller = await start('caller', shopAsCalled);
    await stopStack(docker, stack.stackId);
    const signal = new AbortController().signal;
    const [shopAgain, callerAgain] = [await runtime.resume(shop, signal), await runtime.resume(caller, signal)];
    await Promise.all([untilHealthy(runtime, shopAgain), untilHealthy(runtime, callerAgain)]);
    assert.equal(await ask(callerAgain, { variable: 'SHOP_URL' }), 'this is shop');
    for (const workload of [shopAgain, callerAgain]) await runtime.remove(workload, 1);
  });

  it('listens where it wants to, and the addresses of its dependencies are not taken for its own', async () => {
    epoch += 10;
    const shop = await deployed('shop');
    const url = urlOf('shop', 7600);
    const dependencies = [{ service: 'shop', url }];
    const caller = await start('caller', { port: 7600, dependencies, env: { SHOP_URL: url } });
    assert.equal(await ask(caller, { variable: 'SHOP_URL' }), 'this is shop');
    assert.deepEqual(await runtime.listening(caller), [{ host: '0.0.0.0', port: 7600 }]);
    for (const workload of [shop, caller]) await runtime.remove(workload, 1);
  });
});
