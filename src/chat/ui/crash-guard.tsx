import { Component, type ReactNode } from "react";

export interface CrashGuardProps {
  readonly onError: (error: unknown) => void;
  readonly children: ReactNode;
}

/** A fault in drawing ends the screen: its error is told where it can be read. */
export class CrashGuard extends Component<CrashGuardProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { readonly hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidCatch(error: unknown): void {
    this.props.onError(error);
  }

  override render(): ReactNode {
    return this.state.hasFailed ? null : this.props.children;
  }
}
