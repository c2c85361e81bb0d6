// Generated from openapi/ by `npm run generate`. Do not edit.

import { codePoints, formats, parseBoolean, parseInteger } from "../rules/formats.ts";
const listSessions_query = validate0, schema0 = { $id: "listSessions_query", type: "object", "x-parsed": { page: "integer", pageSize: "integer" }, properties: { page: { type: "integer", minimum: 1, default: 1 }, pageSize: { type: "integer", minimum: 1, maximum: 100, default: 20 }, sortBy: { type: "string", enum: ["createdAt"], default: "createdAt" }, sortOrder: { type: "string", enum: ["asc", "desc"] } }, required: [] }, func0 = parseInteger, func1 = parseBoolean;
function validate0(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate0.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    data.page === void 0 && (data.page = 1), data.pageSize === void 0 && (data.pageSize = 20), data.sortBy === void 0 && (data.sortBy = "createdAt"), data.page !== void 0 && (data.page = func0(data.page)), data.pageSize !== void 0 && (data.pageSize = func0(data.pageSize));
    let data0 = data.page;
    if (!(typeof data0 == "number" && !(data0 % 1) && !isNaN(data0) && isFinite(data0))) {
      const err0 = { instancePath: instancePath + "/page", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (typeof data0 == "number" && isFinite(data0) && (data0 < 1 || isNaN(data0))) {
      const err1 = { instancePath: instancePath + "/page", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
    let data1 = data.pageSize;
    if (!(typeof data1 == "number" && !(data1 % 1) && !isNaN(data1) && isFinite(data1))) {
      const err2 = { instancePath: instancePath + "/pageSize", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
    }
    if (typeof data1 == "number" && isFinite(data1)) {
      if (data1 > 100 || isNaN(data1)) {
        const err3 = { instancePath: instancePath + "/pageSize", keyword: "maximum", params: { comparison: "<=", limit: 100 } };
        vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
      }
      if (data1 < 1 || isNaN(data1)) {
        const err4 = { instancePath: instancePath + "/pageSize", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    let data2 = data.sortBy;
    if (typeof data2 != "string") {
      const err5 = { instancePath: instancePath + "/sortBy", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
    }
    if (data2 !== "createdAt") {
      const err6 = { instancePath: instancePath + "/sortBy", keyword: "enum", params: { allowedValues: schema0.properties.sortBy.enum } };
      vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
    }
    if (data.sortOrder !== void 0) {
      let data3 = data.sortOrder;
      if (typeof data3 != "string") {
        const err7 = { instancePath: instancePath + "/sortOrder", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
      }
      if (!(data3 === "asc" || data3 === "desc")) {
        const err8 = { instancePath: instancePath + "/sortOrder", keyword: "enum", params: { allowedValues: schema0.properties.sortOrder.enum } };
        vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
      }
    }
  } else {
    const err9 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
  }
  return validate0.errors = vErrors, errors === 0;
}
validate0.evaluated = { props: { page: !0, pageSize: !0, sortBy: !0, sortOrder: !0 }, dynamicProps: !1, dynamicItems: !1 };
const listApiKeys_query = validate1, schema1 = { $id: "listApiKeys_query", type: "object", "x-parsed": { page: "integer", pageSize: "integer" }, properties: { page: { type: "integer", minimum: 1, default: 1 }, pageSize: { type: "integer", minimum: 1, maximum: 100, default: 20 }, sortBy: { type: "string", enum: ["createdAt", "name"], default: "createdAt" }, sortOrder: { type: "string", enum: ["asc", "desc"] }, account: { type: "string", maxLength: 36, pattern: "^(?:all|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$", "x-lower-case": !0 } }, required: [] }, func4 = codePoints, pattern0 = new RegExp("^(?:all|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$", "u");
function validate1(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate1.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    data.page === void 0 && (data.page = 1), data.pageSize === void 0 && (data.pageSize = 20), data.sortBy === void 0 && (data.sortBy = "createdAt"), data.page !== void 0 && (data.page = func0(data.page)), data.pageSize !== void 0 && (data.pageSize = func0(data.pageSize));
    let data0 = data.page;
    if (!(typeof data0 == "number" && !(data0 % 1) && !isNaN(data0) && isFinite(data0))) {
      const err0 = { instancePath: instancePath + "/page", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (typeof data0 == "number" && isFinite(data0) && (data0 < 1 || isNaN(data0))) {
      const err1 = { instancePath: instancePath + "/page", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
    let data1 = data.pageSize;
    if (!(typeof data1 == "number" && !(data1 % 1) && !isNaN(data1) && isFinite(data1))) {
      const err2 = { instancePath: instancePath + "/pageSize", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
    }
    if (typeof data1 == "number" && isFinite(data1)) {
      if (data1 > 100 || isNaN(data1)) {
        const err3 = { instancePath: instancePath + "/pageSize", keyword: "maximum", params: { comparison: "<=", limit: 100 } };
        vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
      }
      if (data1 < 1 || isNaN(data1)) {
        const err4 = { instancePath: instancePath + "/pageSize", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    let data2 = data.sortBy;
    if (typeof data2 != "string") {
      const err5 = { instancePath: instancePath + "/sortBy", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
    }
    if (!(data2 === "createdAt" || data2 === "name")) {
      const err6 = { instancePath: instancePath + "/sortBy", keyword: "enum", params: { allowedValues: schema1.properties.sortBy.enum } };
      vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
    }
    if (data.sortOrder !== void 0) {
      let data3 = data.sortOrder;
      if (typeof data3 != "string") {
        const err7 = { instancePath: instancePath + "/sortOrder", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
      }
      if (!(data3 === "asc" || data3 === "desc")) {
        const err8 = { instancePath: instancePath + "/sortOrder", keyword: "enum", params: { allowedValues: schema1.properties.sortOrder.enum } };
        vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
      }
    }
    if (data.account !== void 0) {
      let data4 = data.account;
      if (typeof data4 == "string") {
        if (data4 = data.account = data4.toLowerCase(), func4(data4) > 36) {
          const err9 = { instancePath: instancePath + "/account", keyword: "maxLength", params: { limit: 36 } };
          vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
        }
        if (data4.length <= 72 && !pattern0.test(data4)) {
          const err10 = { instancePath: instancePath + "/account", keyword: "pattern", params: { pattern: "^(?:all|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$" } };
          vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
        }
      } else {
        const err11 = { instancePath: instancePath + "/account", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
      }
    }
  } else {
    const err12 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
  }
  return validate1.errors = vErrors, errors === 0;
}
validate1.evaluated = { props: { page: !0, pageSize: !0, sortBy: !0, sortOrder: !0, account: !0 }, dynamicProps: !1, dynamicItems: !1 };
const createApiKey_headers = validate2;
const pattern1 = new RegExp("^[\\x20-\\x7e]+$", "u");
function validate2(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate2.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data["Idempotency-Key"] !== void 0) {
      let data0 = data["Idempotency-Key"];
      if (typeof data0 == "string") {
        if (func4(data0) > 255) {
          const err0 = { instancePath: instancePath + "/Idempotency-Key", keyword: "maxLength", params: { limit: 255 } };
          vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
        }
        if (func4(data0) < 1) {
          const err1 = { instancePath: instancePath + "/Idempotency-Key", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
        }
        if (data0.length <= 510 && !pattern1.test(data0)) {
          const err2 = { instancePath: instancePath + "/Idempotency-Key", keyword: "pattern", params: { pattern: "^[\\x20-\\x7e]+$" } };
          vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
        }
      } else {
        const err3 = { instancePath: instancePath + "/Idempotency-Key", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
      }
    }
  } else {
    const err4 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
  }
  return validate2.errors = vErrors, errors === 0;
}
validate2.evaluated = { props: { "Idempotency-Key": !0 }, dynamicProps: !1, dynamicItems: !1 };
const listVaults_query = validate3, schema3 = { $id: "listVaults_query", type: "object", "x-parsed": { page: "integer", pageSize: "integer", isActive: "boolean" }, properties: { page: { type: "integer", minimum: 1, default: 1 }, pageSize: { type: "integer", minimum: 1, maximum: 100, default: 20 }, sortBy: { type: "string", enum: ["createdAt", "updatedAt", "name", "documentCount", "totalSize"], default: "createdAt" }, sortOrder: { type: "string", enum: ["asc", "desc"] }, account: { type: "string", maxLength: 36, pattern: "^(?:all|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$", "x-lower-case": !0 }, category: { type: "string", minLength: 1, maxLength: 50, pattern: "^[a-z0-9_-]+$" }, isActive: { type: "boolean" }, search: { type: "string", maxLength: 200, pattern: "^[^\\u0000]*$" } }, required: [] }, pattern3 = new RegExp("^[a-z0-9_-]+$", "u"), pattern4 = new RegExp("^[^\\u0000]*$", "u");
function validate3(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate3.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    data.page === void 0 && (data.page = 1), data.pageSize === void 0 && (data.pageSize = 20), data.sortBy === void 0 && (data.sortBy = "createdAt"), data.page !== void 0 && (data.page = func0(data.page)), data.pageSize !== void 0 && (data.pageSize = func0(data.pageSize)), data.isActive !== void 0 && (data.isActive = func1(data.isActive));
    let data0 = data.page;
    if (!(typeof data0 == "number" && !(data0 % 1) && !isNaN(data0) && isFinite(data0))) {
      const err0 = { instancePath: instancePath + "/page", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (typeof data0 == "number" && isFinite(data0) && (data0 < 1 || isNaN(data0))) {
      const err1 = { instancePath: instancePath + "/page", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
    let data1 = data.pageSize;
    if (!(typeof data1 == "number" && !(data1 % 1) && !isNaN(data1) && isFinite(data1))) {
      const err2 = { instancePath: instancePath + "/pageSize", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
    }
    if (typeof data1 == "number" && isFinite(data1)) {
      if (data1 > 100 || isNaN(data1)) {
        const err3 = { instancePath: instancePath + "/pageSize", keyword: "maximum", params: { comparison: "<=", limit: 100 } };
        vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
      }
      if (data1 < 1 || isNaN(data1)) {
        const err4 = { instancePath: instancePath + "/pageSize", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    let data2 = data.sortBy;
    if (typeof data2 != "string") {
      const err5 = { instancePath: instancePath + "/sortBy", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
    }
    if (!(data2 === "createdAt" || data2 === "updatedAt" || data2 === "name" || data2 === "documentCount" || data2 === "totalSize")) {
      const err6 = { instancePath: instancePath + "/sortBy", keyword: "enum", params: { allowedValues: schema3.properties.sortBy.enum } };
      vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
    }
    if (data.sortOrder !== void 0) {
      let data3 = data.sortOrder;
      if (typeof data3 != "string") {
        const err7 = { instancePath: instancePath + "/sortOrder", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
      }
      if (!(data3 === "asc" || data3 === "desc")) {
        const err8 = { instancePath: instancePath + "/sortOrder", keyword: "enum", params: { allowedValues: schema3.properties.sortOrder.enum } };
        vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
      }
    }
    if (data.account !== void 0) {
      let data4 = data.account;
      if (typeof data4 == "string") {
        if (data4 = data.account = data4.toLowerCase(), func4(data4) > 36) {
          const err9 = { instancePath: instancePath + "/account", keyword: "maxLength", params: { limit: 36 } };
          vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
        }
        if (data4.length <= 72 && !pattern0.test(data4)) {
          const err10 = { instancePath: instancePath + "/account", keyword: "pattern", params: { pattern: "^(?:all|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$" } };
          vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
        }
      } else {
        const err11 = { instancePath: instancePath + "/account", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
      }
    }
    if (data.category !== void 0) {
      let data5 = data.category;
      if (typeof data5 == "string") {
        if (func4(data5) > 50) {
          const err12 = { instancePath: instancePath + "/category", keyword: "maxLength", params: { limit: 50 } };
          vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
        }
        if (func4(data5) < 1) {
          const err13 = { instancePath: instancePath + "/category", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
        }
        if (data5.length <= 100 && !pattern3.test(data5)) {
          const err14 = { instancePath: instancePath + "/category", keyword: "pattern", params: { pattern: "^[a-z0-9_-]+$" } };
          vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
        }
      } else {
        const err15 = { instancePath: instancePath + "/category", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
      }
    }
    if (data.isActive !== void 0 && typeof data.isActive != "boolean") {
      const err16 = { instancePath: instancePath + "/isActive", keyword: "type", params: { type: "boolean" } };
      vErrors === null ? vErrors = [err16] : vErrors.push(err16), errors++;
    }
    if (data.search !== void 0) {
      let data7 = data.search;
      if (typeof data7 == "string") {
        if (func4(data7) > 200) {
          const err17 = { instancePath: instancePath + "/search", keyword: "maxLength", params: { limit: 200 } };
          vErrors === null ? vErrors = [err17] : vErrors.push(err17), errors++;
        }
        if (data7.length <= 400 && !pattern4.test(data7)) {
          const err18 = { instancePath: instancePath + "/search", keyword: "pattern", params: { pattern: "^[^\\u0000]*$" } };
          vErrors === null ? vErrors = [err18] : vErrors.push(err18), errors++;
        }
      } else {
        const err19 = { instancePath: instancePath + "/search", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err19] : vErrors.push(err19), errors++;
      }
    }
  } else {
    const err20 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err20] : vErrors.push(err20), errors++;
  }
  return validate3.errors = vErrors, errors === 0;
}
validate3.evaluated = { props: { page: !0, pageSize: !0, sortBy: !0, sortOrder: !0, account: !0, category: !0, isActive: !0, search: !0 }, dynamicProps: !1, dynamicItems: !1 };
const searchVaults_query = validate4;
function validate4(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate4.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.page === void 0 && (data.page = 1), data.pageSize === void 0 && (data.pageSize = 20), data.search === void 0) {
      const err0 = { instancePath, keyword: "required", params: { missingProperty: "search" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.page !== void 0 && (data.page = func0(data.page)), data.pageSize !== void 0 && (data.pageSize = func0(data.pageSize)), data.search !== void 0) {
      let data0 = data.search;
      if (typeof data0 == "string") {
        if (func4(data0) > 200) {
          const err1 = { instancePath: instancePath + "/search", keyword: "maxLength", params: { limit: 200 } };
          vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
        }
        if (func4(data0) < 1) {
          const err2 = { instancePath: instancePath + "/search", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
        }
        if (data0.length <= 400 && !pattern4.test(data0)) {
          const err3 = { instancePath: instancePath + "/search", keyword: "pattern", params: { pattern: "^[^\\u0000]*$" } };
          vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
        }
      } else {
        const err4 = { instancePath: instancePath + "/search", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    let data1 = data.page;
    if (!(typeof data1 == "number" && !(data1 % 1) && !isNaN(data1) && isFinite(data1))) {
      const err5 = { instancePath: instancePath + "/page", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
    }
    if (typeof data1 == "number" && isFinite(data1) && (data1 < 1 || isNaN(data1))) {
      const err6 = { instancePath: instancePath + "/page", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
      vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
    }
    let data2 = data.pageSize;
    if (!(typeof data2 == "number" && !(data2 % 1) && !isNaN(data2) && isFinite(data2))) {
      const err7 = { instancePath: instancePath + "/pageSize", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
    }
    if (typeof data2 == "number" && isFinite(data2)) {
      if (data2 > 100 || isNaN(data2)) {
        const err8 = { instancePath: instancePath + "/pageSize", keyword: "maximum", params: { comparison: "<=", limit: 100 } };
        vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
      }
      if (data2 < 1 || isNaN(data2)) {
        const err9 = { instancePath: instancePath + "/pageSize", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
        vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
      }
    }
    if (data.account !== void 0) {
      let data3 = data.account;
      if (typeof data3 == "string") {
        if (data3 = data.account = data3.toLowerCase(), func4(data3) > 36) {
          const err10 = { instancePath: instancePath + "/account", keyword: "maxLength", params: { limit: 36 } };
          vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
        }
        if (data3.length <= 72 && !pattern0.test(data3)) {
          const err11 = { instancePath: instancePath + "/account", keyword: "pattern", params: { pattern: "^(?:all|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$" } };
          vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
        }
      } else {
        const err12 = { instancePath: instancePath + "/account", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
      }
    }
  } else {
    const err13 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
  }
  return validate4.errors = vErrors, errors === 0;
}
validate4.evaluated = { props: { search: !0, page: !0, pageSize: !0, account: !0 }, dynamicProps: !1, dynamicItems: !1 };
const listVaultKeys_query = validate5;
function validate5(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate5.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    data.page === void 0 && (data.page = 1), data.pageSize === void 0 && (data.pageSize = 20), data.page !== void 0 && (data.page = func0(data.page)), data.pageSize !== void 0 && (data.pageSize = func0(data.pageSize));
    let data0 = data.page;
    if (!(typeof data0 == "number" && !(data0 % 1) && !isNaN(data0) && isFinite(data0))) {
      const err0 = { instancePath: instancePath + "/page", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (typeof data0 == "number" && isFinite(data0) && (data0 < 1 || isNaN(data0))) {
      const err1 = { instancePath: instancePath + "/page", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
    let data1 = data.pageSize;
    if (!(typeof data1 == "number" && !(data1 % 1) && !isNaN(data1) && isFinite(data1))) {
      const err2 = { instancePath: instancePath + "/pageSize", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
    }
    if (typeof data1 == "number" && isFinite(data1)) {
      if (data1 > 100 || isNaN(data1)) {
        const err3 = { instancePath: instancePath + "/pageSize", keyword: "maximum", params: { comparison: "<=", limit: 100 } };
        vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
      }
      if (data1 < 1 || isNaN(data1)) {
        const err4 = { instancePath: instancePath + "/pageSize", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    if (data.vaultId !== void 0) {
      let data2 = data.vaultId;
      if (typeof data2 == "string") {
        if (data2 = data.vaultId = data2.toLowerCase(), func4(data2) > 255) {
          const err5 = { instancePath: instancePath + "/vaultId", keyword: "maxLength", params: { limit: 255 } };
          vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
        }
        if (func4(data2) < 1) {
          const err6 = { instancePath: instancePath + "/vaultId", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
        }
      } else {
        const err7 = { instancePath: instancePath + "/vaultId", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
      }
    }
  } else {
    const err8 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
  }
  return validate5.errors = vErrors, errors === 0;
}
validate5.evaluated = { props: { page: !0, pageSize: !0, vaultId: !0 }, dynamicProps: !1, dynamicItems: !1 };
const listDocuments_query = validate6, schema6 = { $id: "listDocuments_query", type: "object", "x-parsed": { page: "integer", pageSize: "integer" }, properties: { page: { type: "integer", minimum: 1, default: 1 }, pageSize: { type: "integer", minimum: 1, maximum: 100, default: 20 }, sortBy: { type: "string", enum: ["uploadedAt", "updatedAt", "fileName", "sizeBytes"], default: "uploadedAt" }, sortOrder: { type: "string", enum: ["asc", "desc"] }, account: { type: "string", maxLength: 36, pattern: "^(?:all|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$", "x-lower-case": !0 }, vaultId: { type: "string", minLength: 1, maxLength: 255, "x-lower-case": !0 }, mimeType: { type: "string", minLength: 1, maxLength: 255 }, search: { type: "string", maxLength: 200, pattern: "^[^\\u0000]*$" } }, required: [] };
function validate6(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate6.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    data.page === void 0 && (data.page = 1), data.pageSize === void 0 && (data.pageSize = 20), data.sortBy === void 0 && (data.sortBy = "uploadedAt"), data.page !== void 0 && (data.page = func0(data.page)), data.pageSize !== void 0 && (data.pageSize = func0(data.pageSize));
    let data0 = data.page;
    if (!(typeof data0 == "number" && !(data0 % 1) && !isNaN(data0) && isFinite(data0))) {
      const err0 = { instancePath: instancePath + "/page", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (typeof data0 == "number" && isFinite(data0) && (data0 < 1 || isNaN(data0))) {
      const err1 = { instancePath: instancePath + "/page", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
    let data1 = data.pageSize;
    if (!(typeof data1 == "number" && !(data1 % 1) && !isNaN(data1) && isFinite(data1))) {
      const err2 = { instancePath: instancePath + "/pageSize", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
    }
    if (typeof data1 == "number" && isFinite(data1)) {
      if (data1 > 100 || isNaN(data1)) {
        const err3 = { instancePath: instancePath + "/pageSize", keyword: "maximum", params: { comparison: "<=", limit: 100 } };
        vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
      }
      if (data1 < 1 || isNaN(data1)) {
        const err4 = { instancePath: instancePath + "/pageSize", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    let data2 = data.sortBy;
    if (typeof data2 != "string") {
      const err5 = { instancePath: instancePath + "/sortBy", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
    }
    if (!(data2 === "uploadedAt" || data2 === "updatedAt" || data2 === "fileName" || data2 === "sizeBytes")) {
      const err6 = { instancePath: instancePath + "/sortBy", keyword: "enum", params: { allowedValues: schema6.properties.sortBy.enum } };
      vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
    }
    if (data.sortOrder !== void 0) {
      let data3 = data.sortOrder;
      if (typeof data3 != "string") {
        const err7 = { instancePath: instancePath + "/sortOrder", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
      }
      if (!(data3 === "asc" || data3 === "desc")) {
        const err8 = { instancePath: instancePath + "/sortOrder", keyword: "enum", params: { allowedValues: schema6.properties.sortOrder.enum } };
        vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
      }
    }
    if (data.account !== void 0) {
      let data4 = data.account;
      if (typeof data4 == "string") {
        if (data4 = data.account = data4.toLowerCase(), func4(data4) > 36) {
          const err9 = { instancePath: instancePath + "/account", keyword: "maxLength", params: { limit: 36 } };
          vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
        }
        if (data4.length <= 72 && !pattern0.test(data4)) {
          const err10 = { instancePath: instancePath + "/account", keyword: "pattern", params: { pattern: "^(?:all|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$" } };
          vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
        }
      } else {
        const err11 = { instancePath: instancePath + "/account", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
      }
    }
    if (data.vaultId !== void 0) {
      let data5 = data.vaultId;
      if (typeof data5 == "string") {
        if (data5 = data.vaultId = data5.toLowerCase(), func4(data5) > 255) {
          const err12 = { instancePath: instancePath + "/vaultId", keyword: "maxLength", params: { limit: 255 } };
          vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
        }
        if (func4(data5) < 1) {
          const err13 = { instancePath: instancePath + "/vaultId", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
        }
      } else {
        const err14 = { instancePath: instancePath + "/vaultId", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
      }
    }
    if (data.mimeType !== void 0) {
      let data6 = data.mimeType;
      if (typeof data6 == "string") {
        if (func4(data6) > 255) {
          const err15 = { instancePath: instancePath + "/mimeType", keyword: "maxLength", params: { limit: 255 } };
          vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
        }
        if (func4(data6) < 1) {
          const err16 = { instancePath: instancePath + "/mimeType", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err16] : vErrors.push(err16), errors++;
        }
      } else {
        const err17 = { instancePath: instancePath + "/mimeType", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err17] : vErrors.push(err17), errors++;
      }
    }
    if (data.search !== void 0) {
      let data7 = data.search;
      if (typeof data7 == "string") {
        if (func4(data7) > 200) {
          const err18 = { instancePath: instancePath + "/search", keyword: "maxLength", params: { limit: 200 } };
          vErrors === null ? vErrors = [err18] : vErrors.push(err18), errors++;
        }
        if (data7.length <= 400 && !pattern4.test(data7)) {
          const err19 = { instancePath: instancePath + "/search", keyword: "pattern", params: { pattern: "^[^\\u0000]*$" } };
          vErrors === null ? vErrors = [err19] : vErrors.push(err19), errors++;
        }
      } else {
        const err20 = { instancePath: instancePath + "/search", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err20] : vErrors.push(err20), errors++;
      }
    }
  } else {
    const err21 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err21] : vErrors.push(err21), errors++;
  }
  return validate6.errors = vErrors, errors === 0;
}
validate6.evaluated = { props: { page: !0, pageSize: !0, sortBy: !0, sortOrder: !0, account: !0, vaultId: !0, mimeType: !0, search: !0 }, dynamicProps: !1, dynamicItems: !1 };
const getDocument_query = validate7;
function validate7(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate7.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.content === void 0 && (data.content = !0), data.content !== void 0 && (data.content = func1(data.content)), typeof data.content != "boolean") {
      const err0 = { instancePath: instancePath + "/content", keyword: "type", params: { type: "boolean" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
  } else {
    const err1 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
  }
  return validate7.errors = vErrors, errors === 0;
}
validate7.evaluated = { props: { content: !0 }, dynamicProps: !1, dynamicItems: !1 };
const getDocumentContent_headers = validate8;
function validate8(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate8.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.Range !== void 0 && typeof data.Range != "string") {
      const err0 = { instancePath: instancePath + "/Range", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data["If-Range"] !== void 0 && typeof data["If-Range"] != "string") {
      const err1 = { instancePath: instancePath + "/If-Range", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
    if (data["If-None-Match"] !== void 0 && typeof data["If-None-Match"] != "string") {
      const err2 = { instancePath: instancePath + "/If-None-Match", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
    }
  } else {
    const err3 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
  }
  return validate8.errors = vErrors, errors === 0;
}
validate8.evaluated = { props: { Range: !0, "If-Range": !0, "If-None-Match": !0 }, dynamicProps: !1, dynamicItems: !1 };
const listDocumentShares_query = validate9, schema9 = { $id: "listDocumentShares_query", type: "object", "x-parsed": { page: "integer", pageSize: "integer" }, properties: { page: { type: "integer", minimum: 1, default: 1 }, pageSize: { type: "integer", minimum: 1, maximum: 100, default: 20 }, sortBy: { type: "string", enum: ["createdAt", "expiresAt"], default: "createdAt" }, sortOrder: { type: "string", enum: ["asc", "desc"] } }, required: [] };
function validate9(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate9.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    data.page === void 0 && (data.page = 1), data.pageSize === void 0 && (data.pageSize = 20), data.sortBy === void 0 && (data.sortBy = "createdAt"), data.page !== void 0 && (data.page = func0(data.page)), data.pageSize !== void 0 && (data.pageSize = func0(data.pageSize));
    let data0 = data.page;
    if (!(typeof data0 == "number" && !(data0 % 1) && !isNaN(data0) && isFinite(data0))) {
      const err0 = { instancePath: instancePath + "/page", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (typeof data0 == "number" && isFinite(data0) && (data0 < 1 || isNaN(data0))) {
      const err1 = { instancePath: instancePath + "/page", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
    let data1 = data.pageSize;
    if (!(typeof data1 == "number" && !(data1 % 1) && !isNaN(data1) && isFinite(data1))) {
      const err2 = { instancePath: instancePath + "/pageSize", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
    }
    if (typeof data1 == "number" && isFinite(data1)) {
      if (data1 > 100 || isNaN(data1)) {
        const err3 = { instancePath: instancePath + "/pageSize", keyword: "maximum", params: { comparison: "<=", limit: 100 } };
        vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
      }
      if (data1 < 1 || isNaN(data1)) {
        const err4 = { instancePath: instancePath + "/pageSize", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    let data2 = data.sortBy;
    if (typeof data2 != "string") {
      const err5 = { instancePath: instancePath + "/sortBy", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
    }
    if (!(data2 === "createdAt" || data2 === "expiresAt")) {
      const err6 = { instancePath: instancePath + "/sortBy", keyword: "enum", params: { allowedValues: schema9.properties.sortBy.enum } };
      vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
    }
    if (data.sortOrder !== void 0) {
      let data3 = data.sortOrder;
      if (typeof data3 != "string") {
        const err7 = { instancePath: instancePath + "/sortOrder", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
      }
      if (!(data3 === "asc" || data3 === "desc")) {
        const err8 = { instancePath: instancePath + "/sortOrder", keyword: "enum", params: { allowedValues: schema9.properties.sortOrder.enum } };
        vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
      }
    }
  } else {
    const err9 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
  }
  return validate9.errors = vErrors, errors === 0;
}
validate9.evaluated = { props: { page: !0, pageSize: !0, sortBy: !0, sortOrder: !0 }, dynamicProps: !1, dynamicItems: !1 };
const listShareAccesses_query = validate10;
function validate10(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate10.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    data.page === void 0 && (data.page = 1), data.pageSize === void 0 && (data.pageSize = 20), data.page !== void 0 && (data.page = func0(data.page)), data.pageSize !== void 0 && (data.pageSize = func0(data.pageSize));
    let data0 = data.page;
    if (!(typeof data0 == "number" && !(data0 % 1) && !isNaN(data0) && isFinite(data0))) {
      const err0 = { instancePath: instancePath + "/page", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (typeof data0 == "number" && isFinite(data0) && (data0 < 1 || isNaN(data0))) {
      const err1 = { instancePath: instancePath + "/page", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
    let data1 = data.pageSize;
    if (!(typeof data1 == "number" && !(data1 % 1) && !isNaN(data1) && isFinite(data1))) {
      const err2 = { instancePath: instancePath + "/pageSize", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
    }
    if (typeof data1 == "number" && isFinite(data1)) {
      if (data1 > 100 || isNaN(data1)) {
        const err3 = { instancePath: instancePath + "/pageSize", keyword: "maximum", params: { comparison: "<=", limit: 100 } };
        vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
      }
      if (data1 < 1 || isNaN(data1)) {
        const err4 = { instancePath: instancePath + "/pageSize", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
  } else {
    const err5 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
  }
  return validate10.errors = vErrors, errors === 0;
}
validate10.evaluated = { props: { page: !0, pageSize: !0 }, dynamicProps: !1, dynamicItems: !1 };
const uploadPart_headers = validate11;
const pattern9 = new RegExp("^(?:.*,[ \\t]*)?sha-256=:[A-Za-z0-9+/]{43}=:(?:[ \\t]*[,;].*)?$", "u");
function validate11(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate11.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data["Content-Digest"] !== void 0) {
      let data0 = data["Content-Digest"];
      if (typeof data0 == "string") {
        if (func4(data0) > 1024) {
          const err0 = { instancePath: instancePath + "/Content-Digest", keyword: "maxLength", params: { limit: 1024 } };
          vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
        }
        if (data0.length <= 2048 && !pattern9.test(data0)) {
          const err1 = { instancePath: instancePath + "/Content-Digest", keyword: "pattern", params: { pattern: "^(?:.*,[ \\t]*)?sha-256=:[A-Za-z0-9+/]{43}=:(?:[ \\t]*[,;].*)?$" } };
          vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
        }
      } else {
        const err2 = { instancePath: instancePath + "/Content-Digest", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
      }
    }
  } else {
    const err3 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
  }
  return validate11.errors = vErrors, errors === 0;
}
validate11.evaluated = { props: { "Content-Digest": !0 }, dynamicProps: !1, dynamicItems: !1 };
const listInstances_query = validate12, schema12 = { $id: "listInstances_query", type: "object", "x-parsed": { page: "integer", pageSize: "integer" }, properties: { page: { type: "integer", minimum: 1, default: 1 }, pageSize: { type: "integer", minimum: 1, maximum: 100, default: 20 }, sortBy: { type: "string", enum: ["createdAt", "updatedAt", "name"], default: "createdAt" }, sortOrder: { type: "string", enum: ["asc", "desc"] } }, required: [] };
function validate12(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate12.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    data.page === void 0 && (data.page = 1), data.pageSize === void 0 && (data.pageSize = 20), data.sortBy === void 0 && (data.sortBy = "createdAt"), data.page !== void 0 && (data.page = func0(data.page)), data.pageSize !== void 0 && (data.pageSize = func0(data.pageSize));
    let data0 = data.page;
    if (!(typeof data0 == "number" && !(data0 % 1) && !isNaN(data0) && isFinite(data0))) {
      const err0 = { instancePath: instancePath + "/page", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (typeof data0 == "number" && isFinite(data0) && (data0 < 1 || isNaN(data0))) {
      const err1 = { instancePath: instancePath + "/page", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
    let data1 = data.pageSize;
    if (!(typeof data1 == "number" && !(data1 % 1) && !isNaN(data1) && isFinite(data1))) {
      const err2 = { instancePath: instancePath + "/pageSize", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
    }
    if (typeof data1 == "number" && isFinite(data1)) {
      if (data1 > 100 || isNaN(data1)) {
        const err3 = { instancePath: instancePath + "/pageSize", keyword: "maximum", params: { comparison: "<=", limit: 100 } };
        vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
      }
      if (data1 < 1 || isNaN(data1)) {
        const err4 = { instancePath: instancePath + "/pageSize", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    let data2 = data.sortBy;
    if (typeof data2 != "string") {
      const err5 = { instancePath: instancePath + "/sortBy", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
    }
    if (!(data2 === "createdAt" || data2 === "updatedAt" || data2 === "name")) {
      const err6 = { instancePath: instancePath + "/sortBy", keyword: "enum", params: { allowedValues: schema12.properties.sortBy.enum } };
      vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
    }
    if (data.sortOrder !== void 0) {
      let data3 = data.sortOrder;
      if (typeof data3 != "string") {
        const err7 = { instancePath: instancePath + "/sortOrder", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
      }
      if (!(data3 === "asc" || data3 === "desc")) {
        const err8 = { instancePath: instancePath + "/sortOrder", keyword: "enum", params: { allowedValues: schema12.properties.sortOrder.enum } };
        vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
      }
    }
  } else {
    const err9 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
  }
  return validate12.errors = vErrors, errors === 0;
}
validate12.evaluated = { props: { page: !0, pageSize: !0, sortBy: !0, sortOrder: !0 }, dynamicProps: !1, dynamicItems: !1 };
const getInstanceStatistics_query = validate13;
function validate13(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate13.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.account !== void 0) {
      let data0 = data.account;
      if (typeof data0 == "string") {
        if (data0 = data.account = data0.toLowerCase(), func4(data0) > 36) {
          const err0 = { instancePath: instancePath + "/account", keyword: "maxLength", params: { limit: 36 } };
          vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
        }
        if (data0.length <= 72 && !pattern0.test(data0)) {
          const err1 = { instancePath: instancePath + "/account", keyword: "pattern", params: { pattern: "^(?:all|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$" } };
          vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
        }
      } else {
        const err2 = { instancePath: instancePath + "/account", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
      }
    }
  } else {
    const err3 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
  }
  return validate13.errors = vErrors, errors === 0;
}
validate13.evaluated = { props: { account: !0 }, dynamicProps: !1, dynamicItems: !1 };
const getInstanceHistory_query = validate14, schema14 = { $id: "getInstanceHistory_query", type: "object", "x-parsed": {}, properties: { from: { type: "string", format: "date-time" }, to: { type: "string", format: "date-time" }, step: { type: "string", enum: ["hour", "day"], default: "hour" } }, required: [] }, formats0 = formats["date-time"];
function validate14(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate14.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.step === void 0 && (data.step = "hour"), data.from !== void 0) {
      let data0 = data.from;
      if (typeof data0 == "string") {
        if (!formats0(data0)) {
          const err0 = { instancePath: instancePath + "/from", keyword: "format", params: { format: "date-time" } };
          vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
        }
      } else {
        const err1 = { instancePath: instancePath + "/from", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
      }
    }
    if (data.to !== void 0) {
      let data1 = data.to;
      if (typeof data1 == "string") {
        if (!formats0(data1)) {
          const err2 = { instancePath: instancePath + "/to", keyword: "format", params: { format: "date-time" } };
          vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
        }
      } else {
        const err3 = { instancePath: instancePath + "/to", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
      }
    }
    let data2 = data.step;
    if (typeof data2 != "string") {
      const err4 = { instancePath: instancePath + "/step", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
    }
    if (!(data2 === "hour" || data2 === "day")) {
      const err5 = { instancePath: instancePath + "/step", keyword: "enum", params: { allowedValues: schema14.properties.step.enum } };
      vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
    }
  } else {
    const err6 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
  }
  return validate14.errors = vErrors, errors === 0;
}
validate14.evaluated = { props: { from: !0, to: !0, step: !0 }, dynamicProps: !1, dynamicItems: !1 };
const listUsers_query = validate15, schema15 = { $id: "listUsers_query", type: "object", "x-parsed": { page: "integer", pageSize: "integer" }, properties: { page: { type: "integer", minimum: 1, default: 1 }, pageSize: { type: "integer", minimum: 1, maximum: 100, default: 20 }, sortBy: { type: "string", enum: ["createdAt", "email"], default: "createdAt" }, sortOrder: { type: "string", enum: ["asc", "desc"] }, search: { type: "string", maxLength: 200, pattern: "^[^\\u0000]*$" }, tier: { $ref: "contract#/components/schemas/Tier" }, role: { type: "string", enum: ["user", "admin"] }, status: { type: "string", enum: ["active", "suspended"] } }, required: [] }, schema17 = { type: "string", enum: ["free", "paid", "enterprise"] };
function validate15(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate15.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    data.page === void 0 && (data.page = 1), data.pageSize === void 0 && (data.pageSize = 20), data.sortBy === void 0 && (data.sortBy = "createdAt"), data.page !== void 0 && (data.page = func0(data.page)), data.pageSize !== void 0 && (data.pageSize = func0(data.pageSize));
    let data0 = data.page;
    if (!(typeof data0 == "number" && !(data0 % 1) && !isNaN(data0) && isFinite(data0))) {
      const err0 = { instancePath: instancePath + "/page", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (typeof data0 == "number" && isFinite(data0) && (data0 < 1 || isNaN(data0))) {
      const err1 = { instancePath: instancePath + "/page", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
    let data1 = data.pageSize;
    if (!(typeof data1 == "number" && !(data1 % 1) && !isNaN(data1) && isFinite(data1))) {
      const err2 = { instancePath: instancePath + "/pageSize", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
    }
    if (typeof data1 == "number" && isFinite(data1)) {
      if (data1 > 100 || isNaN(data1)) {
        const err3 = { instancePath: instancePath + "/pageSize", keyword: "maximum", params: { comparison: "<=", limit: 100 } };
        vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
      }
      if (data1 < 1 || isNaN(data1)) {
        const err4 = { instancePath: instancePath + "/pageSize", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    let data2 = data.sortBy;
    if (typeof data2 != "string") {
      const err5 = { instancePath: instancePath + "/sortBy", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
    }
    if (!(data2 === "createdAt" || data2 === "email")) {
      const err6 = { instancePath: instancePath + "/sortBy", keyword: "enum", params: { allowedValues: schema15.properties.sortBy.enum } };
      vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
    }
    if (data.sortOrder !== void 0) {
      let data3 = data.sortOrder;
      if (typeof data3 != "string") {
        const err7 = { instancePath: instancePath + "/sortOrder", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
      }
      if (!(data3 === "asc" || data3 === "desc")) {
        const err8 = { instancePath: instancePath + "/sortOrder", keyword: "enum", params: { allowedValues: schema15.properties.sortOrder.enum } };
        vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
      }
    }
    if (data.search !== void 0) {
      let data4 = data.search;
      if (typeof data4 == "string") {
        if (func4(data4) > 200) {
          const err9 = { instancePath: instancePath + "/search", keyword: "maxLength", params: { limit: 200 } };
          vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
        }
        if (data4.length <= 400 && !pattern4.test(data4)) {
          const err10 = { instancePath: instancePath + "/search", keyword: "pattern", params: { pattern: "^[^\\u0000]*$" } };
          vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
        }
      } else {
        const err11 = { instancePath: instancePath + "/search", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
      }
    }
    if (data.tier !== void 0) {
      let data5 = data.tier;
      if (typeof data5 != "string") {
        const err12 = { instancePath: instancePath + "/tier", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
      }
      if (!(data5 === "free" || data5 === "paid" || data5 === "enterprise")) {
        const err13 = { instancePath: instancePath + "/tier", keyword: "enum", params: { allowedValues: schema17.enum } };
        vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
      }
    }
    if (data.role !== void 0) {
      let data6 = data.role;
      if (typeof data6 != "string") {
        const err14 = { instancePath: instancePath + "/role", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
      }
      if (!(data6 === "user" || data6 === "admin")) {
        const err15 = { instancePath: instancePath + "/role", keyword: "enum", params: { allowedValues: schema15.properties.role.enum } };
        vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
      }
    }
    if (data.status !== void 0) {
      let data7 = data.status;
      if (typeof data7 != "string") {
        const err16 = { instancePath: instancePath + "/status", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err16] : vErrors.push(err16), errors++;
      }
      if (!(data7 === "active" || data7 === "suspended")) {
        const err17 = { instancePath: instancePath + "/status", keyword: "enum", params: { allowedValues: schema15.properties.status.enum } };
        vErrors === null ? vErrors = [err17] : vErrors.push(err17), errors++;
      }
    }
  } else {
    const err18 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err18] : vErrors.push(err18), errors++;
  }
  return validate15.errors = vErrors, errors === 0;
}
validate15.evaluated = { props: { page: !0, pageSize: !0, sortBy: !0, sortOrder: !0, search: !0, tier: !0, role: !0, status: !0 }, dynamicProps: !1, dynamicItems: !1 };
const listConsents_query = validate17, schema18 = { $id: "listConsents_query", type: "object", "x-parsed": { page: "integer", pageSize: "integer" }, properties: { page: { type: "integer", minimum: 1, default: 1 }, pageSize: { type: "integer", minimum: 1, maximum: 100, default: 20 }, sortBy: { type: "string", enum: ["createdAt", "updatedAt"], default: "createdAt" }, sortOrder: { type: "string", enum: ["asc", "desc"] }, account: { type: "string", maxLength: 36, pattern: "^(?:all|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$", "x-lower-case": !0 } }, required: [] };
function validate17(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate17.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    data.page === void 0 && (data.page = 1), data.pageSize === void 0 && (data.pageSize = 20), data.sortBy === void 0 && (data.sortBy = "createdAt"), data.page !== void 0 && (data.page = func0(data.page)), data.pageSize !== void 0 && (data.pageSize = func0(data.pageSize));
    let data0 = data.page;
    if (!(typeof data0 == "number" && !(data0 % 1) && !isNaN(data0) && isFinite(data0))) {
      const err0 = { instancePath: instancePath + "/page", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (typeof data0 == "number" && isFinite(data0) && (data0 < 1 || isNaN(data0))) {
      const err1 = { instancePath: instancePath + "/page", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
    let data1 = data.pageSize;
    if (!(typeof data1 == "number" && !(data1 % 1) && !isNaN(data1) && isFinite(data1))) {
      const err2 = { instancePath: instancePath + "/pageSize", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
    }
    if (typeof data1 == "number" && isFinite(data1)) {
      if (data1 > 100 || isNaN(data1)) {
        const err3 = { instancePath: instancePath + "/pageSize", keyword: "maximum", params: { comparison: "<=", limit: 100 } };
        vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
      }
      if (data1 < 1 || isNaN(data1)) {
        const err4 = { instancePath: instancePath + "/pageSize", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    let data2 = data.sortBy;
    if (typeof data2 != "string") {
      const err5 = { instancePath: instancePath + "/sortBy", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
    }
    if (!(data2 === "createdAt" || data2 === "updatedAt")) {
      const err6 = { instancePath: instancePath + "/sortBy", keyword: "enum", params: { allowedValues: schema18.properties.sortBy.enum } };
      vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
    }
    if (data.sortOrder !== void 0) {
      let data3 = data.sortOrder;
      if (typeof data3 != "string") {
        const err7 = { instancePath: instancePath + "/sortOrder", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
      }
      if (!(data3 === "asc" || data3 === "desc")) {
        const err8 = { instancePath: instancePath + "/sortOrder", keyword: "enum", params: { allowedValues: schema18.properties.sortOrder.enum } };
        vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
      }
    }
    if (data.account !== void 0) {
      let data4 = data.account;
      if (typeof data4 == "string") {
        if (data4 = data.account = data4.toLowerCase(), func4(data4) > 36) {
          const err9 = { instancePath: instancePath + "/account", keyword: "maxLength", params: { limit: 36 } };
          vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
        }
        if (data4.length <= 72 && !pattern0.test(data4)) {
          const err10 = { instancePath: instancePath + "/account", keyword: "pattern", params: { pattern: "^(?:all|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$" } };
          vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
        }
      } else {
        const err11 = { instancePath: instancePath + "/account", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
      }
    }
  } else {
    const err12 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
  }
  return validate17.errors = vErrors, errors === 0;
}
validate17.evaluated = { props: { page: !0, pageSize: !0, sortBy: !0, sortOrder: !0, account: !0 }, dynamicProps: !1, dynamicItems: !1 };
const listDeliveries_query = validate18, schema19 = { $id: "listDeliveries_query", type: "object", "x-parsed": { page: "integer", pageSize: "integer" }, properties: { page: { type: "integer", minimum: 1, default: 1 }, pageSize: { type: "integer", minimum: 1, maximum: 100, default: 20 }, sortBy: { type: "string", enum: ["createdAt"], default: "createdAt" }, sortOrder: { type: "string", enum: ["asc", "desc"] }, status: { $ref: "contract#/components/schemas/DeliveryStatus" }, eventType: { $ref: "contract#/components/schemas/EventType" } }, required: [] }, schema20 = { type: "string", enum: ["pending", "retrying", "succeeded", "failed"] }, schema21 = { type: "string", enum: ["vault.created", "vault.updated", "vault.deleted", "vault.quota.warning", "vault.quota.exceeded", "document.uploaded", "document.updated", "document.deleted", "document.shared", "document.share.accessed", "document.share.expired", "consent.granted", "consent.revoked", "consent.expired", "consent.renewed", "user.created", "user.updated", "user.deleted", "user.login", "instance.health.degraded", "instance.health.recovered", "instance.quota.warning"] };
function validate18(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate18.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    data.page === void 0 && (data.page = 1), data.pageSize === void 0 && (data.pageSize = 20), data.sortBy === void 0 && (data.sortBy = "createdAt"), data.page !== void 0 && (data.page = func0(data.page)), data.pageSize !== void 0 && (data.pageSize = func0(data.pageSize));
    let data0 = data.page;
    if (!(typeof data0 == "number" && !(data0 % 1) && !isNaN(data0) && isFinite(data0))) {
      const err0 = { instancePath: instancePath + "/page", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (typeof data0 == "number" && isFinite(data0) && (data0 < 1 || isNaN(data0))) {
      const err1 = { instancePath: instancePath + "/page", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
    let data1 = data.pageSize;
    if (!(typeof data1 == "number" && !(data1 % 1) && !isNaN(data1) && isFinite(data1))) {
      const err2 = { instancePath: instancePath + "/pageSize", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
    }
    if (typeof data1 == "number" && isFinite(data1)) {
      if (data1 > 100 || isNaN(data1)) {
        const err3 = { instancePath: instancePath + "/pageSize", keyword: "maximum", params: { comparison: "<=", limit: 100 } };
        vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
      }
      if (data1 < 1 || isNaN(data1)) {
        const err4 = { instancePath: instancePath + "/pageSize", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    let data2 = data.sortBy;
    if (typeof data2 != "string") {
      const err5 = { instancePath: instancePath + "/sortBy", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
    }
    if (data2 !== "createdAt") {
      const err6 = { instancePath: instancePath + "/sortBy", keyword: "enum", params: { allowedValues: schema19.properties.sortBy.enum } };
      vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
    }
    if (data.sortOrder !== void 0) {
      let data3 = data.sortOrder;
      if (typeof data3 != "string") {
        const err7 = { instancePath: instancePath + "/sortOrder", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
      }
      if (!(data3 === "asc" || data3 === "desc")) {
        const err8 = { instancePath: instancePath + "/sortOrder", keyword: "enum", params: { allowedValues: schema19.properties.sortOrder.enum } };
        vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
      }
    }
    if (data.status !== void 0) {
      let data4 = data.status;
      if (typeof data4 != "string") {
        const err9 = { instancePath: instancePath + "/status", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
      }
      if (!(data4 === "pending" || data4 === "retrying" || data4 === "succeeded" || data4 === "failed")) {
        const err10 = { instancePath: instancePath + "/status", keyword: "enum", params: { allowedValues: schema20.enum } };
        vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
      }
    }
    if (data.eventType !== void 0) {
      let data5 = data.eventType;
      if (typeof data5 != "string") {
        const err11 = { instancePath: instancePath + "/eventType", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
      }
      if (!(data5 === "vault.created" || data5 === "vault.updated" || data5 === "vault.deleted" || data5 === "vault.quota.warning" || data5 === "vault.quota.exceeded" || data5 === "document.uploaded" || data5 === "document.updated" || data5 === "document.deleted" || data5 === "document.shared" || data5 === "document.share.accessed" || data5 === "document.share.expired" || data5 === "consent.granted" || data5 === "consent.revoked" || data5 === "consent.expired" || data5 === "consent.renewed" || data5 === "user.created" || data5 === "user.updated" || data5 === "user.deleted" || data5 === "user.login" || data5 === "instance.health.degraded" || data5 === "instance.health.recovered" || data5 === "instance.quota.warning")) {
        const err12 = { instancePath: instancePath + "/eventType", keyword: "enum", params: { allowedValues: schema21.enum } };
        vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
      }
    }
  } else {
    const err13 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
  }
  return validate18.errors = vErrors, errors === 0;
}
validate18.evaluated = { props: { page: !0, pageSize: !0, sortBy: !0, sortOrder: !0, status: !0, eventType: !0 }, dynamicProps: !1, dynamicItems: !1 };
const listEvents_query = validate19;
function validate19(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate19.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    data.page === void 0 && (data.page = 1), data.pageSize === void 0 && (data.pageSize = 20), data.page !== void 0 && (data.page = func0(data.page)), data.pageSize !== void 0 && (data.pageSize = func0(data.pageSize));
    let data0 = data.page;
    if (!(typeof data0 == "number" && !(data0 % 1) && !isNaN(data0) && isFinite(data0))) {
      const err0 = { instancePath: instancePath + "/page", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (typeof data0 == "number" && isFinite(data0) && (data0 < 1 || isNaN(data0))) {
      const err1 = { instancePath: instancePath + "/page", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
    let data1 = data.pageSize;
    if (!(typeof data1 == "number" && !(data1 % 1) && !isNaN(data1) && isFinite(data1))) {
      const err2 = { instancePath: instancePath + "/pageSize", keyword: "type", params: { type: "integer" } };
      vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
    }
    if (typeof data1 == "number" && isFinite(data1)) {
      if (data1 > 100 || isNaN(data1)) {
        const err3 = { instancePath: instancePath + "/pageSize", keyword: "maximum", params: { comparison: "<=", limit: 100 } };
        vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
      }
      if (data1 < 1 || isNaN(data1)) {
        const err4 = { instancePath: instancePath + "/pageSize", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    if (data.account !== void 0) {
      let data2 = data.account;
      if (typeof data2 == "string") {
        if (data2 = data.account = data2.toLowerCase(), func4(data2) > 36) {
          const err5 = { instancePath: instancePath + "/account", keyword: "maxLength", params: { limit: 36 } };
          vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
        }
        if (data2.length <= 72 && !pattern0.test(data2)) {
          const err6 = { instancePath: instancePath + "/account", keyword: "pattern", params: { pattern: "^(?:all|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$" } };
          vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
        }
      } else {
        const err7 = { instancePath: instancePath + "/account", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
      }
    }
    if (data.type !== void 0) {
      let data3 = data.type;
      if (typeof data3 != "string") {
        const err8 = { instancePath: instancePath + "/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
      }
      if (!(data3 === "vault.created" || data3 === "vault.updated" || data3 === "vault.deleted" || data3 === "vault.quota.warning" || data3 === "vault.quota.exceeded" || data3 === "document.uploaded" || data3 === "document.updated" || data3 === "document.deleted" || data3 === "document.shared" || data3 === "document.share.accessed" || data3 === "document.share.expired" || data3 === "consent.granted" || data3 === "consent.revoked" || data3 === "consent.expired" || data3 === "consent.renewed" || data3 === "user.created" || data3 === "user.updated" || data3 === "user.deleted" || data3 === "user.login" || data3 === "instance.health.degraded" || data3 === "instance.health.recovered" || data3 === "instance.quota.warning")) {
        const err9 = { instancePath: instancePath + "/type", keyword: "enum", params: { allowedValues: schema21.enum } };
        vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
      }
    }
    if (data.since !== void 0) {
      let data4 = data.since;
      if (typeof data4 == "string") {
        if (!formats0(data4)) {
          const err10 = { instancePath: instancePath + "/since", keyword: "format", params: { format: "date-time" } };
          vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
        }
      } else {
        const err11 = { instancePath: instancePath + "/since", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
      }
    }
    if (data.after !== void 0) {
      let data5 = data.after;
      if (typeof data5 == "string") {
        if (func4(data5) > 120) {
          const err12 = { instancePath: instancePath + "/after", keyword: "maxLength", params: { limit: 120 } };
          vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
        }
        if (func4(data5) < 1) {
          const err13 = { instancePath: instancePath + "/after", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
        }
      } else {
        const err14 = { instancePath: instancePath + "/after", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
      }
    }
    if (data.until !== void 0) {
      let data6 = data.until;
      if (typeof data6 == "string") {
        if (!formats0(data6)) {
          const err15 = { instancePath: instancePath + "/until", keyword: "format", params: { format: "date-time" } };
          vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
        }
      } else {
        const err16 = { instancePath: instancePath + "/until", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err16] : vErrors.push(err16), errors++;
      }
    }
  } else {
    const err17 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err17] : vErrors.push(err17), errors++;
  }
  return validate19.errors = vErrors, errors === 0;
}
validate19.evaluated = { props: { page: !0, pageSize: !0, account: !0, type: !0, since: !0, after: !0, until: !0 }, dynamicProps: !1, dynamicItems: !1 };
export {
  createApiKey_headers,
  getDocumentContent_headers,
  getDocument_query,
  getInstanceHistory_query,
  getInstanceStatistics_query,
  listApiKeys_query,
  listConsents_query,
  listDeliveries_query,
  listDocumentShares_query,
  listDocuments_query,
  listEvents_query,
  listInstances_query,
  listSessions_query,
  listShareAccesses_query,
  listUsers_query,
  listVaultKeys_query,
  listVaults_query,
  searchVaults_query,
  uploadPart_headers
};
