/** What one prober saw since its control targets answered last. */
export interface ProberView {
  /** Monitors that were checked since, and how many of them failed last. */
  readonly checked: number;
  readonly failed: number;
  /** Control targets there are, and how many of them answered when they were asked last. */
  readonly controls: number;
  readonly controlsAnswering: number;
}

/**
 * Whether failures are the prober's own: over half of its monitors fail, and no control target answers. While a control
 * answers, the outage is real. A prober without control targets never takes the fault.
 */
export function isOwnFault({ checked, failed, controls, controlsAnswering }: ProberView): boolean {
  return controls > 0 && controlsAnswering === 0 && checked > 0 && failed * 2 > checked;
}
