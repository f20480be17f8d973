/** A fetch whose answers end with an error once their body is longer. */
export function boundedFetch(fetch: typeof globalThis.fetch, mostBytes: number): typeof globalThis.fetch {
  return async (...request) => {
    const response = await fetch(...request);
    if (response.body === null) return response;
    let bytes = 0;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > mostBytes) controller.error(new Error(`the answer has more than ${mostBytes} bytes`));
        else controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
  };
}
