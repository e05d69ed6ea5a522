import { userInfo } from "node:os";

/** Whoever is logged in: the actor of the audit log where no option names another. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "unknown";
  }
}
