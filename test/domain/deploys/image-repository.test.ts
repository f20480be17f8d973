import assert from 'node:assert/strict';
import { it } from 'node:test';
import { imageRepository } from '../../../domain/deploys/image-repository.ts';

const FIRST = 'svc_0123456789abcdefghjk';
const SECOND = 'svc_zyxwvtsrqpnmkjhgfedc';

it('two services never share a repository, whatever their names', () => {
  const of = (name: string, id: string) => imageRepository('registry.example:5000/team', { name, id });
  assert.equal(of('shop', FIRST), 'registry.example:5000/team/shop-0123456789abcdefghjk');
  assert.notEqual(of('shop', FIRST), of('shop', SECOND));
  assert.notEqual(of('shop-0123456789abcdefghjk', SECOND), of('shop', FIRST));
});
