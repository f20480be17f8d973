import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import { chromium as playwright } from 'playwright-core';
import { fulfilCertificateOrder } from '../../../activities/custom-domains/certificates/fulfil-order.ts';
import { deliverCertificate } from '../../../activities/custom-domains/certificates/keep-served.ts';
import { placeCertificateOrder } from '../../../activities/custom-domains/certificates/place-order.ts';
import { CHROMIUM_FLAGS } from '../../../infra/dev/tools/chromium.ts';
import { type CertificateWorld, startCertificateWorld } from '../../support/certificate-world.ts';
import { patience } from '../../support/patience.ts';
import { toolPath } from '../../support/tool-path.ts';

const OWNER = { service: 'shop', environment: 'prod' } as const;

describe('a certificate of a real authority at the real router', { timeout: 400_000 }, () => {
  let world: CertificateWorld;
  let names: readonly string[];
  before(async () => {
    world = await startCertificateWorld({ rejectNonces: 5 });
    names = [await world.customer('', 'shop'), await world.customer('www', 'shop')];
    const { address } = await world.edge.edge.upstream((incoming, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<title>shop</title><h1>${incoming.headers['x-forwarded-proto']} ${incoming.headers.host}</h1>`);
    });
    await world.edge.edge.router.route('shop', 'prod', { workloadId: 'x', address }, 1);
    await renew();
  });
  after(() => world.stop());

  async function renew(): Promise<void> {
    await placeCertificateOrder(world.deps, { ...OWNER, names }, patience());
    const fulfilled = await fulfilCertificateOrder(world.deps, OWNER, patience());
    assert.equal(fulfilled.kind, 'issued');
    await deliverCertificate(world.deps, { ...OWNER, hosts: names });
  }
  const trusting = (host: string) => {
    return { host: '127.0.0.1', port: world.edge.tlsPort, servername: host, ca: world.pebble.root };
  };
  async function serialOf(host: string): Promise<string> {
    const socket = connect(trusting(host));
    await once(socket, 'secureConnect');
    const { serialNumber } = socket.getPeerCertificate();
    socket.destroy();
    return serialNumber;
  }

  it('is opened by a browser, apex and www, over HTTP/2', async () => {
    const chain = (await world.deps.files.readChain(names[0] ?? '')) ?? '';
    // The browser of a test trusts no authority of its own: it is told this one key.
    const spki = new X509Certificate(chain).publicKey.export({ type: 'spki', format: 'der' });
    const pin = createHash('sha256').update(spki).digest('base64');
    const profile = await mkdtemp(join(tmpdir(), 'fairlead-browser-'));
    const browser = await playwright.launchPersistentContext(profile, {
      executablePath: await toolPath('chromium'),
      args: [
        ...CHROMIUM_FLAGS,
        ...[`--ignore-certificate-errors-spki-list=${pin}`, '--host-resolver-rules=MAP * 127.0.0.1'],
      ],
    });
    try {
      const page = await browser.newPage();
      for (const host of names) {
        const answer = await page.goto(`https://${host}:${world.edge.tlsPort}/`, { timeout: 120_000 });
        assert.equal(answer?.status(), 200);
        assert.match((await page.textContent('h1')) ?? '', new RegExp(`^https ${host.replaceAll('.', '\\.')}:`));
        const protocol = await page.evaluate(
          `performance.getEntriesByType('navigation').map(({ nextHopProtocol }) => nextHopProtocol).join()`,
        );
        assert.equal(protocol, 'h2');
      }
    } finally {
      await browser.close();
      await rm(profile, { recursive: true, force: true });
    }
  });

  it('is renewed with none of 1,000 requests failed, and the next handshake shows the new one', async () => {
    const host = names[0] ?? '';
    const agents = [new Agent({ keepAlive: true, maxSockets: 4 }), new Agent({ keepAlive: false })];
    const failures: string[] = [];
    let sent = 0;
    let renewed = false;
    const ask = async (index: number): Promise<void> => {
      sent += 1;
      const { promise, resolve } = Promise.withResolvers<void>();
      const target = { ...trusting(host), headers: { host }, agent: agents[index % 2] };
      request(target, (response) => {
        if (response.statusCode !== 200) failures.push(`${response.statusCode}`);
        response.resume().once('close', resolve);
      })
        .on('error', (error) => {
          failures.push(error.message);
          resolve();
        })
        .end();
      await promise;
    };
    const client = async (index: number): Promise<void> => {
      while (!renewed || sent < 1_000) {
        await ask(index);
        await delay(2);
      }
    };
    const before = await serialOf(host);
    let after = '';
    const renewing = renew().then(async () => {
      // The first handshake after the delivery: there is nothing to wait for.
      after = await serialOf(host);
      renewed = true;
    });
    await Promise.all([renewing, ...Array.from({ length: 8 }, (_, index) => client(index))]);
    for (const agent of agents) agent.destroy();
    assert.deepEqual(failures, []);
    assert.ok(sent >= 1_000, `${sent} requests`);
    assert.notEqual(after, before);
  });
});
