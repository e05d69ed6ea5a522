/**
 * A web address as it may leave the system: http or https, absolute, without a user name; `null` for everything else. Documents state
 * addresses of any kind (`javascript:`, `data:`, names of files), and readers turn what they are given into links.
 *
 * @example httpUrl(" https://library.example/fees ") // "https://library.example/fees"
 */
export function httpUrl(stated: string | null): string | null {
  const url = stated?.trim() ?? "";
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return null;
  const { username, password } = new URL(url);
  return username === "" && password === "" ? url : null;
}
