import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { monitorsWorkerSection } from '../../../adapters/env/monitors.ts';
import { isSecret } from '../../../adapters/env/variable-kinds.ts';

const section = z.object(monitorsWorkerSection);
const isRead = (variables: Readonly<Record<string, string>>): boolean => section.safeParse(variables).success;

test('without settings the prober reaches public addresses and the router, and asks no control target', () => {
  const env = section.parse({});
  assert.deepEqual(
    [env.MONITOR_ALLOWED_NETWORKS, env.MONITOR_CONTROL_TARGETS, env.MONITOR_NAME_SERVERS, env.EDGE_PORT],
    [[], [], [], 8000],
  );
});

test('networks, control targets and DNS servers are lists, and what is none is refused', () => {
  const env = section.parse({
    MONITOR_ALLOWED_NETWORKS: '10.0.0.0/8, acme=fd00::/8,*=192.0.2.0/24',
    MONITOR_CONTROL_TARGETS: 'example.com:443,[2606:4700::1111]:53',
    MONITOR_NAME_SERVERS: '192.0.2.1,192.0.2.2:5353',
  });
  assert.deepEqual(env.MONITOR_ALLOWED_NETWORKS, [
    { org: null, network: '10.0.0.0/8' },
    { org: 'acme', network: 'fd00::/8' },
    { org: '*', network: '192.0.2.0/24' },
  ]);
  assert.deepEqual(env.MONITOR_CONTROL_TARGETS, [
    { host: 'example.com', port: 443 },
    { host: '[2606:4700::1111]', port: 53 },
  ]);
  for (const variables of [
    { MONITOR_ALLOWED_NETWORKS: '10.0.0.1' },
    { MONITOR_ALLOWED_NETWORKS: 'everywhere' },
    { MONITOR_ALLOWED_NETWORKS: 'Acme Inc=10.0.0.0/8' },
    { MONITOR_ALLOWED_NETWORKS: 'acme=' },
    { MONITOR_CONTROL_TARGETS: 'example.com' },
    { MONITOR_CONTROL_TARGETS: 'example.com:70000' },
    { MONITOR_CONTROL_TARGETS: 'https://example.com:443' },
    { MONITOR_NAME_SERVERS: 'dns.example' },
    { MONITOR_DEAD_MAN_URL: 'hc.example.com' },
    { MONITOR_DEAD_MAN_URL: 'ftp://hc.example.com/x' },
  ]) {
    assert.equal(isRead(variables), false, JSON.stringify(variables));
  }
});

test('the address that waits for the monitor is taken as it is, with its query and its last slash, and is kept out of logs', () => {
  const url = 'https://status.example.com/api/push/s3cret/?status=up';
  assert.equal(section.parse({ MONITOR_DEAD_MAN_URL: url }).MONITOR_DEAD_MAN_URL, url);
  assert.ok(isSecret(monitorsWorkerSection.MONITOR_DEAD_MAN_URL));
});
