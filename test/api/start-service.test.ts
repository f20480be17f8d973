import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { Writable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { readSection, readServiceEnv } from '../../adapters/env.ts';
import { createLogger } from '../../adapters/logging/logger.ts';
import { createApp } from '../../api/http/create-app.ts';
import { defineRoute } from '../../api/http/define-route.ts';
import { createHealthRoute } from '../../api/http/health.ts';
import { defineService, type ServiceDefinition, type ServiceParts } from '../../api/service-definition.ts';
import { startService } from '../../api/start-service.ts';
import { FairleadError } from '../../domain/errors.ts';
import { type StoringServiceName, serviceRow } from '../../domain/services.ts';
import { freePort } from '../support/free-port.ts';
import { startMongo, type TestMongo } from '../support/start-mongo.ts';

const KEY = 'internal-key-of-this-test-0123456789';
const NAME = 'audit-ledger';
const log = createLogger({ name: 'test', level: 'silent' });

describe('the starter of services', () => {
  let mongo: TestMongo;
  before(async () => {
    mongo = await startMongo();
  });
  after(() => mongo.stop());

  /** A service that opens two things of its own, and what happened to all that was opened, in order. */
  function recorded(changes: Partial<ServiceDefinition<Record<string, never>, StoringServiceName>> = {}) {
    const ended: string[] = [];
    const definition = defineService({
      name: NAME,
      section: {},
      needs: ['mongo'],
      requestsPerMinute: 1_000,
      compose: async (parts) => {
        watch(parts, ended);
        return await (changes.compose ?? composeApp)(parts);
      },
    });
    return { definition, ended };
  }

  function watch(
    { mongo: connection, temporal, opened, stopping }: ServiceParts<unknown, StoringServiceName>,
    ended: string[],
  ): void {
    connection.db.client.on('topologyClosed', () => ended.push('mongo'));
    const { connection: toTemporal } = temporal();
    const close = toTemporal.close.bind(toTemporal);
    toTemporal.close = async () => {
      await close();
      ended.push('temporal');
    };
    opened.defer(() => void ended.push('first of its own'));
    opened.defer(() => void ended.push('second of its own'));
    stopping.addEventListener('abort', () => ended.push('requests'));
  }

  async function composeApp({ app }: ServiceParts<unknown, StoringServiceName>) {
    const { health } = app;
    return {
      app: createApp({ ...app, title: 'x', version: health.version, health: createHealthRoute(health), routes: [] }),
    };
  }

  async function start(definition: ServiceDefinition, more: Record<string, string> = {}, to = log) {
    const source = {
      ...{ MONGODB_URI: mongo.uri, INTERNAL_SERVICE_KEY: KEY, TEMPORAL_ADDRESS: '127.0.0.1:9' },
      ...{ AUDIT_PORT: String(await freePort()), ...more },
    };
    const env = { settings: readServiceEnv(serviceRow(NAME), source), own: readSection(definition.section, source) };
    return await startService(definition, env, to);
  }

  const OWN = ['second of its own', 'first of its own', 'temporal', 'mongo'];

  it('warns at its start when it has an https address and knows no proxy whose word about clients counts', async () => {
    const lines: string[] = [];
    const to = createLogger({ name: 'test', level: 'warn', secrets: [] }, collect(lines));
    const warnings = async (more: Record<string, string>): Promise<number> => {
      const before = lines.length;
      await (await start(recorded().definition, more, to)).stop();
      return lines.slice(before).filter((line) => line.includes('TRUSTED_PROXIES')).length;
    };
    const https = { AUDIT_URL: 'https://audit.acme.example' };
    assert.equal(await warnings(https), 1);
    assert.equal(await warnings({ ...https, TRUSTED_PROXIES: '10.0.0.7' }), 0);
    assert.equal(await warnings({ AUDIT_URL: 'http://localhost:3005' }), 0);
  });

  it('closes what was opened in reverse order, each once, however often it is stopped', async () => {
    const { definition, ended } = recorded();
    const service = await start(definition);
    assert.equal((await fetch(`${service.address}/health`)).status, 200);
    await Promise.all([service.stop(), service.stop()]);
    await service.stop();
    assert.deepEqual(ended, ['requests', ...OWN]);
    await assert.rejects(fetch(`${service.address}/health`));
  });

  it('closes all of it when its composition fails', async () => {
    const refused = new FairleadError('VALIDATION_FAILED', 'of no use');
    const { definition, ended } = recorded({ compose: () => Promise.reject(refused) });
    await assert.rejects(start(definition), refused);
    assert.deepEqual(ended, OWN);
  });

  it('closes all of it when the port is in use, and names the variable that changes it', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const address = taken.address();
    assert.ok(address !== null && typeof address === 'object');
    const { definition, ended } = recorded();
    const starting = start(definition, { AUDIT_PORT: String(address.port) });
    await assert.rejects(starting, { code: 'CONFLICT', message: /AUDIT_PORT/ });
    assert.deepEqual(ended, OWN);
    taken.close();
  });

  it('names why the start failed even when something cannot be closed, and closes the rest', async () => {
    const refused = new FairleadError('VALIDATION_FAILED', 'of no use');
    const { definition, ended } = recorded({
      compose: async ({ opened }) => {
        opened.defer(() => {
          throw new Error('will not close');
        });
        throw refused;
      },
    });
    await assert.rejects(start(definition), refused);
    assert.deepEqual(ended, OWN);
  });

  it('lets requests in flight end before it closes what they use', async () => {
    const arrived = Promise.withResolvers<void>();
    const proceed = Promise.withResolvers<void>();
    const { definition, ended } = recorded({
      compose: async ({ app, mongo: connection }) => {
        const slow = defineRoute({
          method: 'get',
          path: '/slow',
          summary: 'Asks the database late',
          tag: 'platform',
          callers: 'public',
          responses: { 200: { description: 'It was asked', schema: z.object({ asked: z.boolean() }) } },
          handle: async () => {
            arrived.resolve();
            await proceed.promise;
            await connection.ping();
            return { status: 200, data: { asked: true } };
          },
        });
        const { health } = app;
        const routes = [slow];
        return {
          app: createApp({ ...app, title: 'x', version: health.version, health: createHealthRoute(health), routes }),
        };
      },
    });
    const service = await start(definition);
    const answer = fetch(`${service.address}/slow`);
    await arrived.promise;
    const stopped = service.stop();
    await nextTurn();
    assert.deepEqual(ended, ['requests'], 'nothing is closed while a request is in flight');
    proceed.resolve();
    assert.equal((await answer).status, 200);
    await stopped;
    assert.deepEqual(ended, ['requests', ...OWN]);
  });
});

function collect(lines: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
}
