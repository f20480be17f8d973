import type { LatencyHistogram } from './latency-histogram.ts';

/** Lengths of roll-ups, and how long each is kept. */
export const ROLL_UPS = {
  '5m': { lengthMs: 300_000, keptDays: 7 },
  '1h': { lengthMs: 3_600_000, keptDays: 90 },
  '1d': { lengthMs: 86_400_000, keptDays: 400 },
} as const;
export type RollUpLength = keyof typeof ROLL_UPS;
export const RAW_KEPT_HOURS = 24;

/** Time by how the monitor was. What is missing to the whole is no data: paused, unknown, or not yet there. */
export interface TimeByState {
  /** With the degraded time. */
  readonly upMs: number;
  readonly degradedMs: number;
  readonly downMs: number;
  /** In neither. */
  readonly maintenanceMs: number;
}

/** One monitor in one slice of time. */
export interface RollUp extends TimeByState {
  readonly monitorId: string;
  readonly length: RollUpLength;
  /** A multiple of the length since 1970. */
  readonly startsAt: Date;
  readonly checks: number;
  readonly failed: number;
  /** Of checks that were answered. */
  readonly latency: LatencyHistogram;
}

/** A figure for people: uptime is time, up / (up + down). */
export interface Uptime extends TimeByState {
  readonly from: Date;
  readonly to: Date;
  /** 0 to 1; null without any data. */
  readonly ratio: number | null;
  /** Share of the asked time, without maintenance, that there is data of: 0 to 1. */
  readonly coverage: number;
}
