import type { Response } from 'express';

/** Spreadsheets run what begins with one of these; behind an apostrophe it is text. */
const FORMULA = /^[=+\-@\t\r]/;

/** A line of CSV (RFC 4180) that no spreadsheet runs. */
export function csvLine(fields: readonly string[]): string {
  const shown = fields.map((field) => `"${field.replace(FORMULA, "'$&").replaceAll('"', '""')}"`);
  return `${shown.join(',')}\r\n`;
}

/** @param name of the file that browsers save it in */
export function sendCsv(response: Response, name: string, lines: readonly string[]): void {
  response.status(200).set({ 'Content-Type': 'text/csv; charset=utf-8', 'Cache-Control': 'no-store' });
  response.set({ 'Content-Disposition': `attachment; filename="${name}"` });
  response.send(lines.join(''));
}
