// SPDX-License-Identifier: Apache-2.0
/**
 * Tables and figures of papers, measured with Spillway: their systems, their runs, and the pages
 * that show the results beside the papers' numbers.
 */
package io.spillway.lab.exhibit;
