import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  INNER_NETWORKS,
  type NamespaceFacts,
  namespaceManifests,
} from '../../../adapters/kubernetes/namespace-manifests.ts';
import { byKind, type ManifestsByKind } from './manifests-by-kind.ts';

const TARGET = { service: 'shop', environment: 'uat' } as const;

function objects(changes: Partial<NamespaceFacts> = {}): ManifestsByKind {
  return byKind(namespaceManifests(TARGET, { stackId: 'test', open: [], edge: null, registry: null, ...changes }));
}

describe('the namespace of a service and environment', () => {
  it('is named after both, and takes restricted pods alone', () => {
    const { Namespace } = objects();
    assert.equal(Namespace?.metadata?.name, 'shop-uat');
    assert.equal(Namespace?.metadata?.labels?.['pod-security.kubernetes.io/enforce'], 'restricted');
    assert.equal(Namespace?.metadata?.labels?.['fairlead.io/stack'], 'test');
  });

  it('is bounded to 4 CPU and 4Gi (spec 2, "Environment bound of the namespace")', () => {
    const { ResourceQuota, LimitRange } = objects();
    const { hard } = ResourceQuota?.spec ?? {};
    assert.deepEqual([hard?.['requests.cpu'], hard?.['requests.memory']], ['4', '4Gi']);
    assert.deepEqual(LimitRange?.spec?.limits?.[0], { type: 'Pod', max: { cpu: '4', memory: '4Gi' } });
  });

  it('what it has is applied behind it', () => {
    const kinds = namespaceManifests(TARGET, { stackId: 'test', open: [], edge: null, registry: null });
    assert.deepEqual(
      kinds.map(({ kind }) => kind),
      ['Namespace', 'ResourceQuota', 'LimitRange', 'NetworkPolicy'],
    );
  });

  it('has the login of the registry where that asks for one', () => {
    const registry = { host: 'registry.example:5000', user: 'ada', token: 'secret' };
    const { Secret } = objects({ registry });
    const config = JSON.parse(Buffer.from(Secret?.data?.['.dockerconfigjson'] ?? '', 'base64').toString());
    assert.deepEqual(config.auths['registry.example:5000'].username, 'ada');
    assert.equal(Secret?.type, 'kubernetes.io/dockerconfigjson');
    assert.equal(objects().Secret, undefined);
  });
});

describe('its isolation', () => {
  const spec = (changes: Partial<NamespaceFacts> = {}) => objects(changes).NetworkPolicy?.spec;

  it('holds for every pod, both ways', () => {
    assert.deepEqual(spec()?.podSelector, {});
    assert.deepEqual(spec()?.policyTypes, ['Ingress', 'Egress']);
  });

  it('lets in who declared the service as a dependency in its environment, and the edge where it has a namespace', () => {
    const callers = {
      namespaceSelector: { matchLabels: { 'fairlead.io/stack': 'test', 'fairlead.io/environment': 'uat' } },
      podSelector: { matchLabels: { 'calls.fairlead.io/shop': 'true' } },
    };
    assert.deepEqual(spec()?.ingress, [{ from: [callers] }]);
    const edge = { 'kubernetes.io/metadata.name': 'ingress' };
    assert.deepEqual(spec({ edge })?.ingress?.[1], { from: [{ namespaceSelector: { matchLabels: edge } }] });
  });

  it('lets out to the cluster’s DNS, to what is public, and to what the operator opened', () => {
    const open = [
      { network: '10.0.3.0/24', port: null },
      { network: '10.0.3.7', port: 5432 },
    ];
    const [dns, everywhere, network, address] = spec({ open })?.egress ?? [];
    assert.deepEqual(
      dns?.ports?.map(({ port }) => port),
      [53, 53],
    );
    assert.deepEqual(everywhere?.to?.[0]?.ipBlock, { cidr: '0.0.0.0/0', except: [...INNER_NETWORKS] });
    assert.ok(INNER_NETWORKS.includes('169.254.0.0/16'), 'no metadata of the machine');
    assert.deepEqual(network, { to: [{ ipBlock: { cidr: '10.0.3.0/24' } }] });
    assert.deepEqual(address?.to?.[0]?.ipBlock?.cidr, '10.0.3.7/32');
    assert.deepEqual(
      address?.ports?.map(({ protocol, port }) => `${protocol} ${port}`),
      ['UDP 5432', 'TCP 5432'],
    );
  });
});
