// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.check;

/** How bad a finding is; the worst first. */
public enum Severity {
    /** Something fails, or Spillway does not run at all. */
    ERROR,
    /** It works, but slower or with less than it could. */
    WARNING,
    /** Worth knowing; nothing has to be mended. */
    NOTE
}
