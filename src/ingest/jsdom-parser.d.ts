declare module "@mozilla/readability/JSDOMParser.js" {
  /** The small DOM that Readability is tested with. It accepts well-formed markup only. */
  export default class JSDOMParser {
    parse(html: string, url?: string): Document;
    readonly errorState: string;
  }
}
