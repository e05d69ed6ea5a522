/**
 * Milliseconds of processor time that this process has used since `begun`: the bound of a test that must hold on a busy machine too.
 * @example
 * const begun = process.cpuUsage();
 * tokenize(text);
 * expect(processorMs(begun)).toBeLessThan(500);
 */
export function processorMs(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}
