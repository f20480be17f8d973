import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createProcessMetrics } from '../../../adapters/metrics/process-metrics.ts';
import { parseExposition, samplesOf, sampleValue } from '../../support/parse-exposition.ts';

it('counts requests by route, method and class of status, and those that are under way', async () => {
  const metrics = createProcessMetrics();
  const meter = metrics.requests('wallet');
  for (let begun = 0; begun < 4; begun += 1) meter.started();
  const request = { method: 'GET', route: '/accounts/:org', status: 200, seconds: 0.03 };
  meter.ended(request);
  meter.ended({ ...request, status: 204, seconds: 3 });
  meter.ended({ ...request, status: null });
  const families = parseExposition(await metrics.text());
  const labels = { service: 'wallet', method: 'GET', route: '/accounts/:org' };
  assert.equal(sampleValue(families, 'fairlead_http_requests_total', { ...labels, status: '2xx' }), 2);
  assert.equal(sampleValue(families, 'fairlead_http_requests_total', { ...labels, status: 'aborted' }), 1);
  assert.equal(sampleValue(families, 'fairlead_http_requests_in_flight', { service: 'wallet' }), 1);
  assert.equal(sampleValue(families, 'fairlead_http_request_duration_seconds_count', labels), 3);
  assert.equal(sampleValue(families, 'fairlead_http_request_duration_seconds_bucket', { ...labels, le: '0.1' }), 2);
});

it('makes no series of what a client names: methods and paths that are in no table are one', async () => {
  const metrics = createProcessMetrics();
  const meter = metrics.requests('idp');
  for (const method of ['PROPFIND', 'M-SEARCH', 'QUERY']) {
    meter.started();
    meter.ended({ method, route: null, status: 404, seconds: 0 });
  }
  const series = samplesOf(parseExposition(await metrics.text()), 'fairlead_http_requests_total');
  assert.deepEqual(series, [
    {
      name: 'fairlead_http_requests_total',
      labels: { service: 'idp', method: 'other', route: 'other', status: '4xx' },
      value: 3,
    },
  ]);
});

it('tells the process besides: CPU, memory and the lag of its event loop', async () => {
  const families = parseExposition(await createProcessMetrics().text());
  assert.ok(sampleValue(families, 'process_cpu_seconds_total') > 0);
  assert.ok(sampleValue(families, 'process_resident_memory_bytes') > 10_000_000);
  assert.ok(sampleValue(families, 'nodejs_eventloop_lag_seconds') >= 0);
});
