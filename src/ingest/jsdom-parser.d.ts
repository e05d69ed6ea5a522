declare module "@mozilla/readability/JSDOMParser.js" {
  /** The light DOM that Readability is tested with; takes well-formed markup only. */
  export default class JSDOMParser {
    parse(html: string, url?: string): Document;
    readonly errorState: string;
  }
}
