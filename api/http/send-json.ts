import type { Response } from 'express';

/**
 * Sends a reply as JSON, in one write with its headers. Express's own `json` asks its settings, the headers and the
 * request for what no reply of ours has: other formats, tags for caches, partial answers.
 */
export function sendJson(response: Response, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}
