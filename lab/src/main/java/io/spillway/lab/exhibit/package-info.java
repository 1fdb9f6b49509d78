// SPDX-License-Identifier: Apache-2.0
/**
 * Tables and figures of papers, measured anew: what each one compares, the runs that its figures
 * come from, and the pages that show them beside the papers' numbers.
 */
package io.spillway.lab.exhibit;
