import { lazy } from "react";
import { Late } from "../kit/late.tsx";
import type { SignInProps } from "./sign-in-dialog.tsx";

const load = () => import("./sign-in-dialog.tsx");
const SignInDialog = lazy(load);

/** The way in by a key, and out again. */
export function SignIn(props: SignInProps) {
  return (
    <Late className="quiet-button" label={props.account.signedIn ? "Signed in" : "Sign in"} opens="dialog" load={() => void load()}>
      <SignInDialog {...props} />
    </Late>
  );
}
