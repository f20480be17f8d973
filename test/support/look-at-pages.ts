import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/**
 * What axe-core finds of WCAG 2.2 A and AA that keeps somebody from using the page: its serious and critical findings.
 * The context of the page has to have `bypassCSP`: our policy lets no other script in.
 */
export async function seriousFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(
    () =>
      (globalThis as unknown as { axe: { run(root: unknown, options: unknown): Promise<AxeResult> } }).axe.run(
        (globalThis as unknown as { document: unknown }).document,
        { resultTypes: ['violations'] },
      ),
    undefined,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary ?? ''}`));
}

/** Elements that stick out of the page at the right, which would have to be scrolled sideways, and tables out of their card. */
export function sticksOut(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    interface Box {
      readonly tagName: string;
      readonly className: string;
      getBoundingClientRect(): { readonly right: number };
      closest(selector: string): Box | null;
    }
    const { document } = globalThis as unknown as {
      document: {
        readonly documentElement: { readonly scrollWidth: number; readonly clientWidth: number };
        querySelectorAll(selector: string): Iterable<Box>;
      };
    };
    const { scrollWidth, clientWidth } = document.documentElement;
    const right = (box: Box | null): number => box?.getBoundingClientRect().right ?? 0;
    const tables = [...document.querySelectorAll('.card .table')].filter(
      (table) => right(table) > right(table.closest('.card')) + 1,
    );
    if (scrollWidth <= clientWidth) return tables.map(({ className }) => `${className} out of its card`);
    const wide = [...document.querySelectorAll('body *')].filter(
      (box) => box.getBoundingClientRect().right > clientWidth + 1,
    );
    return wide.map(({ tagName, className }) => `${tagName} ${className}`).slice(0, 5);
  });
}
