/** Characters of the bar. */
const WIDTH = 24;

/**
 * Draws `[#####…….] 312/1000 31 % 0:42 left  what`. What is left is told from what is done so far, once it says enough.
 * @param now milliseconds
 */
export function createProgressBar(total: number, now: () => number = Date.now): (done: number, what: string) => string {
  const began = now();
  let first: number | null = null;
  return (done, what) => {
    first ??= done;
    const share = total === 0 ? 0 : done / total;
    const filled = Math.floor(share * WIDTH);
    const bar = `[${"#".repeat(filled)}${"·".repeat(WIDTH - filled)}]`;
    const made = done - first;
    const left = made < 3 ? "" : ` ${inMinutes(((now() - began) / made) * (total - done))} left`;
    return `${bar} ${done}/${total} ${Math.floor(share * 100)} %${left}  ${what}`;
  };
}

function inMinutes(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
