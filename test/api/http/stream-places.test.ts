import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createStreamPlaces } from '../../../api/http/stream-places.ts';

const LIMITS = { what: 'lists are read', perKey: 4, inAll: 64 };
const reading = new AbortController().signal;

describe('places for long answers', () => {
  it('one address has a few, and others have theirs', () => {
    const places = createStreamPlaces(LIMITS);
    const leaves = Array.from({ length: 4 }, () => places.take('192.0.2.1', reading));
    assert.throws(() => places.take('192.0.2.1', reading), { code: 'RATE_LIMITED' });
    places.take('192.0.2.2', reading);
    leaves[0]?.();
    leaves[0]?.();
    places.take('192.0.2.1', reading);
    assert.throws(() => places.take('192.0.2.1', reading), { code: 'RATE_LIMITED' }, 'a place is given back once');
  });

  it('all addresses together have a bounded number', () => {
    const places = createStreamPlaces(LIMITS);
    for (let host = 0; host < 64; host += 1) places.take(`192.0.2.${host}`, reading);
    assert.throws(() => places.take('198.51.100.1', reading), { code: 'RATE_LIMITED' });
  });

  it('a client that goes leaves its place', () => {
    const places = createStreamPlaces(LIMITS);
    const client = new AbortController();
    for (let opened = 0; opened < 4; opened += 1) places.take('192.0.2.1', client.signal);
    client.abort();
    for (let opened = 0; opened < 4; opened += 1) places.take('192.0.2.1', reading);
    assert.throws(() => places.take('192.0.2.1', reading), { code: 'RATE_LIMITED' });
  });
});
