import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { type ClusterApi, ClusterRefusal, clusterError } from '../../../adapters/kubernetes/cluster-api.ts';
import { watchObjects } from '../../../adapters/kubernetes/watch-objects.ts';
import { patience } from '../../support/patience.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Asked, refuse, startAnswering } from './answering-cluster.ts';

const PLACE = { kind: 'Deployment', namespace: 'shop-uat', name: 'build-1' } as const;

describe('calls of a cluster', () => {
  let cluster: Awaited<ReturnType<typeof startAnswering>>;
  let api: ClusterApi;
  let answer: (asked: Asked, response: ServerResponse) => void;
  before(async () => {
    cluster = await startAnswering((asked, response) => answer(asked, response));
    api = cluster.api;
  });
  after(() => cluster.close());

  const last = (): Asked => {
    const asked = cluster.asked.at(-1);
    assert.ok(asked);
    return asked;
  };

  it('carry the token of the kubeconfig to a server that its authority has certified', async () => {
    answer = (_, response) => response.end('{"metadata":{"name":"build-1"}}');
    assert.deepEqual(await api.get(PLACE), { metadata: { name: 'build-1' } });
    assert.match(last().authorization ?? '', /^Bearer [\w-]{43}$/);
    assert.equal(last().path, '/apis/apps/v1/namespaces/shop-uat/deployments/build-1');
  });

  it('apply on the server under our name, and take our fields back from whoever changed them', async () => {
    answer = (_, response) => response.end('{}');
    const object = { apiVersion: 'v1', kind: 'Service', metadata: { namespace: 'shop-uat', name: 'app' } };
    await api.apply(object);
    const { method, path, type, body } = last();
    assert.deepEqual([method, type], ['PATCH', 'application/apply-patch+yaml']);
    assert.equal(path, '/api/v1/namespaces/shop-uat/services/app?fieldManager=fairlead&force=true');
    assert.deepEqual(JSON.parse(body), object);
  });

  it('list by labels in one namespace or in all, and remove what is there with a grace', async () => {
    answer = (_, response) => response.end('{"metadata":{"resourceVersion":"7"},"items":[1]}');
    const listed = await api.list({ kind: 'Pod', namespace: null, labelSelector: 'a=b,c=d' });
    assert.deepEqual(listed, { items: [1], resourceVersion: '7' });
    assert.equal(last().path, '/api/v1/pods?labelSelector=a%3Db%2Cc%3Dd');
    await api.remove({ kind: 'Pod', namespace: 'shop-uat', name: 'x' }, 3);
    assert.deepEqual([last().method, JSON.parse(last().body).gracePeriodSeconds], ['DELETE', 3]);
  });

  it('find nothing where there is nothing, and remove what is gone', async () => {
    answer = (_, response) => refuse(response, 404, 'deployments.apps "build-1" not found');
    assert.equal(await api.get(PLACE), null);
    await api.remove(PLACE);
  });

  it('use what the kubeconfig holds by then, once its credentials were refused', async () => {
    const { kubeconfig } = cluster;
    const before = await readFile(kubeconfig, 'utf8');
    const token = last().authorization?.replace('Bearer ', '') ?? '';
    await writeFile(kubeconfig, before.replace(token, 'renewed'));
    answer = (_, response) => refuse(response, 401, 'Unauthorized');
    await assert.rejects(api.get(PLACE), { status: 401 });
    assert.equal(last().authorization, `Bearer ${token}`);
    answer = (_, response) => response.end('{}');
    await api.get(PLACE);
    assert.equal(last().authorization, 'Bearer renewed');
    await writeFile(kubeconfig, before);
  });

  const refusals: readonly (readonly [number, string, string, boolean, RegExp])[] = [
    [401, 'Unauthorized', 'INSTALL_FAILED', false, /does not accept the credentials of KUBECONFIG: renew them/],
    [
      403,
      'deployments.apps is forbidden: User "fairlead" cannot patch resource "deployments" in API group "apps" in the namespace "shop-uat"',
      'INSTALL_FAILED',
      false,
      /cannot patch resource.*may not do that: see the list of permissions/,
    ],
    [403, 'admission webhook "policy" denied the request: no', 'INSTALL_FAILED', false, /denied the request: no$/],
    [403, 'namespaces "shop-uat" is forbidden: because it is being terminated', 'UNAVAILABLE', true, /terminated$/],
    [409, 'Operation cannot be fulfilled: the object has been modified', 'UNAVAILABLE', true, /modified$/],
    [429, 'too many requests', 'UNAVAILABLE', true, /too many requests$/],
    [500, 'etcdserver: request timed out', 'UNAVAILABLE', true, /request timed out$/],
  ];
  for (const [status, message, code, retryable, said] of refusals) {
    it(`${status} "${message.slice(0, 40)}" is ${code}${retryable ? ', and tried again' : ''}`, async () => {
      answer = (_, response) => refuse(response, status, message);
      const error = await api.get(PLACE).then(
        () => assert.fail('it was answered'),
        (reason: unknown) => reason,
      );
      assert.ok(error instanceof ClusterRefusal);
      const told = clusterError(error, 'Installing shop in uat', 'INSTALL_FAILED');
      assert.deepEqual([told.code, told.retryable], [code, retryable]);
      assert.match(told.message, said);
      assert.match(told.message, /^Installing shop in uat: /);
    });
  }

  it('an informer has what is listed, and then what changes, until it is stopped', async () => {
    const pod = (version: string, phase: string) => {
      const metadata = { name: 'x', namespace: 'shop-uat', resourceVersion: version };
      return { apiVersion: 'v1', kind: 'Pod', metadata, status: { phase } };
    };
    let watching: ServerResponse | null = null;
    answer = ({ path }, response) => {
      if (!path.includes('watch=true')) {
        response.end(JSON.stringify({ metadata: { resourceVersion: '1' }, items: [pod('1', 'Pending')] }));
        return;
      }
      watching = response;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.flushHeaders();
    };
    const watched = await watchObjects(api, [{ kind: 'Pod', namespace: 'shop-uat', labelSelector: 'a=b' }]);
    const phases = () => watched.objects<{ status: { phase: string } }>(0).map(({ status }) => status.phase);
    assert.deepEqual(phases(), ['Pending']);
    const response = await waitUntil('the watch', () => watching);
    response.write(`${JSON.stringify({ type: 'MODIFIED', object: pod('2', 'Running') })}\n`);
    await watched.changed(patience());
    await waitUntil('the change', () => phases()[0] === 'Running');
    await watched.stop();
    await waitUntil('the end of the watch', () => response.destroyed || response.closed);
  });
});

it('a cluster that does not answer is UNAVAILABLE, and says where to look', async () => {
  const { api, close } = await startAnswering(() => undefined);
  // Its file is read, and then it goes away.
  await api.config();
  await close();
  const error = await api.get(PLACE).then(
    () => assert.fail('it was answered'),
    (reason: unknown) => reason,
  );
  const told = clusterError(error, 'Listing deployments');
  assert.deepEqual([told.code, told.retryable], ['UNAVAILABLE', true]);
  assert.match(
    told.message,
    /^Listing deployments: the cluster cannot be reached \(.+\): check the address in KUBECONFIG/,
  );
});
