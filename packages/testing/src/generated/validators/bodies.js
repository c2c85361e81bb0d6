// Generated from openapi/ by `npm run generate`. Do not edit.

import { codePoints, formats, jsonBytes, writtenUrl } from "../rules/formats.ts";
const register = validate0;
const formats0 = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i, formats2 = formats.name, func0 = codePoints;
function validate0(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate0.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.email === void 0) {
      const err0 = { instancePath, keyword: "required", params: { missingProperty: "email" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.password === void 0) {
      const err1 = { instancePath, keyword: "required", params: { missingProperty: "password" } };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
    if (data.name === void 0) {
      const err2 = { instancePath, keyword: "required", params: { missingProperty: "name" } };
      vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
    }
    if (data.email !== void 0) {
      let data0 = data.email;
      if (typeof data0 == "string") {
        if (func0(data0) > 254) {
          const err3 = { instancePath: instancePath + "/email", keyword: "maxLength", params: { limit: 254 } };
          vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
        }
        if (data0.length <= 508 && !formats0.test(data0)) {
          const err4 = { instancePath: instancePath + "/email", keyword: "format", params: { format: "email" } };
          vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
        }
      } else {
        const err5 = { instancePath: instancePath + "/email", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
      }
    }
    if (data.password !== void 0) {
      let data1 = data.password;
      if (typeof data1 == "string") {
        if (func0(data1) > 1024) {
          const err6 = { instancePath: instancePath + "/password", keyword: "maxLength", params: { limit: 1024 } };
          vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
        }
        if (func0(data1) < 12) {
          const err7 = { instancePath: instancePath + "/password", keyword: "minLength", params: { limit: 12 } };
          vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
        }
      } else {
        const err8 = { instancePath: instancePath + "/password", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
      }
    }
    if (data.name !== void 0) {
      let data2 = data.name;
      if (typeof data2 == "string") {
        if (data2 = data.name = data2.trim(), func0(data2) > 120) {
          const err9 = { instancePath: instancePath + "/name", keyword: "maxLength", params: { limit: 120 } };
          vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
        }
        if (func0(data2) < 1) {
          const err10 = { instancePath: instancePath + "/name", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
        }
        if (data2.length <= 240 && !formats2(data2)) {
          const err11 = { instancePath: instancePath + "/name", keyword: "format", params: { format: "name" } };
          vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
        }
      } else {
        const err12 = { instancePath: instancePath + "/name", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
      }
    }
    for (const key0 in data)
      if (!(key0 === "email" || key0 === "password" || key0 === "name")) {
        const err13 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key0, known: "email,password,name" } };
        vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
      }
  } else {
    const err14 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
  }
  return validate0.errors = vErrors, errors === 0;
}
validate0.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const login = validate2;
function validate2(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate2.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.email === void 0) {
      const err0 = { instancePath, keyword: "required", params: { missingProperty: "email" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.password === void 0) {
      const err1 = { instancePath, keyword: "required", params: { missingProperty: "password" } };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
    if (data.email !== void 0) {
      let data0 = data.email;
      if (typeof data0 == "string") {
        if (func0(data0) > 254) {
          const err2 = { instancePath: instancePath + "/email", keyword: "maxLength", params: { limit: 254 } };
          vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
        }
        if (func0(data0) < 1) {
          const err3 = { instancePath: instancePath + "/email", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
        }
      } else {
        const err4 = { instancePath: instancePath + "/email", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    if (data.password !== void 0) {
      let data1 = data.password;
      if (typeof data1 == "string") {
        if (func0(data1) > 1024) {
          const err5 = { instancePath: instancePath + "/password", keyword: "maxLength", params: { limit: 1024 } };
          vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
        }
        if (func0(data1) < 1) {
          const err6 = { instancePath: instancePath + "/password", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
        }
      } else {
        const err7 = { instancePath: instancePath + "/password", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
      }
    }
    for (const key0 in data)
      if (!(key0 === "email" || key0 === "password")) {
        const err8 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key0, known: "email,password" } };
        vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
      }
  } else {
    const err9 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
  }
  return validate2.errors = vErrors, errors === 0;
}
validate2.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const refresh = validate3;
function validate3(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate3.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.refreshToken === void 0) {
      const err0 = { instancePath, keyword: "required", params: { missingProperty: "refreshToken" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.refreshToken !== void 0) {
      let data0 = data.refreshToken;
      if (typeof data0 == "string") {
        if (func0(data0) > 1024) {
          const err1 = { instancePath: instancePath + "/refreshToken", keyword: "maxLength", params: { limit: 1024 } };
          vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
        }
        if (func0(data0) < 1) {
          const err2 = { instancePath: instancePath + "/refreshToken", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
        }
      } else {
        const err3 = { instancePath: instancePath + "/refreshToken", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
      }
    }
    for (const key0 in data)
      if (key0 !== "refreshToken") {
        const err4 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key0, known: "refreshToken" } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
  } else {
    const err5 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
  }
  return validate3.errors = vErrors, errors === 0;
}
validate3.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const logout = validate4;
function validate4(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate4.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.refreshToken === void 0) {
      const err0 = { instancePath, keyword: "required", params: { missingProperty: "refreshToken" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.refreshToken !== void 0) {
      let data0 = data.refreshToken;
      if (typeof data0 == "string") {
        if (func0(data0) > 1024) {
          const err1 = { instancePath: instancePath + "/refreshToken", keyword: "maxLength", params: { limit: 1024 } };
          vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
        }
        if (func0(data0) < 1) {
          const err2 = { instancePath: instancePath + "/refreshToken", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
        }
      } else {
        const err3 = { instancePath: instancePath + "/refreshToken", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
      }
    }
    for (const key0 in data)
      if (key0 !== "refreshToken") {
        const err4 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key0, known: "refreshToken" } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
  } else {
    const err5 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
  }
  return validate4.errors = vErrors, errors === 0;
}
validate4.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const createApiKey = validate5;
const schema10 = { type: "object", required: ["name", "scopes"], additionalProperties: !1, properties: { name: { type: "string", minLength: 1, maxLength: 120, format: "name", "x-trimmed": !0 }, scopes: { type: "array", minItems: 1, uniqueItems: !0, items: { type: "string", $ref: "#/components/schemas/Scope" }, maxItems: 14 }, expiresAt: { type: ["string", "null"], format: "date-time" } } }, schema11 = { type: "string", enum: ["vaults:read", "vaults:write", "documents:read", "documents:write", "documents:share", "instances:read", "instances:write", "users:read", "users:write", "webhooks:read", "webhooks:write", "consents:read", "consents:write", "admin:*"] }, formats6 = formats["date-time"];
function validate6(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate6.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.name === void 0) {
      const err0 = { instancePath, keyword: "required", params: { missingProperty: "name" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.scopes === void 0) {
      const err1 = { instancePath, keyword: "required", params: { missingProperty: "scopes" } };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
    if (data.name !== void 0) {
      let data0 = data.name;
      if (typeof data0 == "string") {
        if (data0 = data.name = data0.trim(), func0(data0) > 120) {
          const err2 = { instancePath: instancePath + "/name", keyword: "maxLength", params: { limit: 120 } };
          vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
        }
        if (func0(data0) < 1) {
          const err3 = { instancePath: instancePath + "/name", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
        }
        if (data0.length <= 240 && !formats2(data0)) {
          const err4 = { instancePath: instancePath + "/name", keyword: "format", params: { format: "name" } };
          vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
        }
      } else {
        const err5 = { instancePath: instancePath + "/name", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
      }
    }
    if (data.scopes !== void 0) {
      let data1 = data.scopes;
      if (Array.isArray(data1)) {
        if (data1.length > 14) {
          const err6 = { instancePath: instancePath + "/scopes", keyword: "maxItems", params: { limit: 14 } };
          vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
        }
        if (data1.length < 1) {
          const err7 = { instancePath: instancePath + "/scopes", keyword: "minItems", params: { limit: 1 } };
          vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
        }
        if (data1.length <= 14) {
          const len0 = data1.length;
          for (let i0 = 0; i0 < len0; i0++) {
            let data2 = data1[i0];
            if (typeof data2 != "string") {
              const err8 = { instancePath: instancePath + "/scopes/" + i0, keyword: "type", params: { type: "string" } };
              vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
            }
            if (typeof data2 != "string") {
              const err9 = { instancePath: instancePath + "/scopes/" + i0, keyword: "type", params: { type: "string" } };
              vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
            }
            if (!(data2 === "vaults:read" || data2 === "vaults:write" || data2 === "documents:read" || data2 === "documents:write" || data2 === "documents:share" || data2 === "instances:read" || data2 === "instances:write" || data2 === "users:read" || data2 === "users:write" || data2 === "webhooks:read" || data2 === "webhooks:write" || data2 === "consents:read" || data2 === "consents:write" || data2 === "admin:*")) {
              const err10 = { instancePath: instancePath + "/scopes/" + i0, keyword: "enum", params: { allowedValues: schema11.enum } };
              vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
            }
          }
        }
        if (data1.length <= 14) {
          let i1 = data1.length, j0;
          if (i1 > 1) {
            const indices0 = {};
            for (; i1--; ) {
              let item0 = data1[i1];
              if (typeof item0 == "string") {
                if (typeof indices0[item0] == "number") {
                  j0 = indices0[item0];
                  const err11 = { instancePath: instancePath + "/scopes", keyword: "uniqueItems", params: { i: i1, j: j0 } };
                  vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
                  break;
                }
                indices0[item0] = i1;
              }
            }
          }
        }
      } else {
        const err12 = { instancePath: instancePath + "/scopes", keyword: "type", params: { type: "array" } };
        vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
      }
    }
    if (data.expiresAt !== void 0) {
      let data3 = data.expiresAt;
      if (typeof data3 != "string" && data3 !== null) {
        const err13 = { instancePath: instancePath + "/expiresAt", keyword: "type", params: { type: schema10.properties.expiresAt.type } };
        vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
      }
      if (typeof data3 == "string" && !formats6(data3)) {
        const err14 = { instancePath: instancePath + "/expiresAt", keyword: "format", params: { format: "date-time" } };
        vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
      }
    }
    for (const key0 in data)
      if (!(key0 === "name" || key0 === "scopes" || key0 === "expiresAt")) {
        const err15 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key0, known: "name,scopes,expiresAt" } };
        vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
      }
  } else {
    const err16 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err16] : vErrors.push(err16), errors++;
  }
  return validate6.errors = vErrors, errors === 0;
}
validate6.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
function validate5(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate5.evaluated;
  return evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), validate6(data, { instancePath, parentData, parentDataProperty, rootData, dynamicAnchors }) || (vErrors = vErrors === null ? validate6.errors : vErrors.concat(validate6.errors), errors = vErrors.length), validate5.errors = vErrors, errors === 0;
}
validate5.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const createOAuthClient = validate8;
const schema13 = { type: "object", required: ["name", "type", "scopes"], additionalProperties: !1, properties: { name: { type: "string", minLength: 1, maxLength: 120, format: "name", pattern: "^(?:[^\\s\\u200c\\u200d]|[ \\u00a0\\u3000])*$", "x-trimmed": !0 }, type: { type: "string", enum: ["confidential", "public"] }, redirectUris: { type: "array", maxItems: 10, uniqueItems: !0, items: { type: "string", format: "uri", maxLength: 2048 }, default: [] }, scopes: { type: "array", minItems: 1, uniqueItems: !0, items: { type: "string", $ref: "#/components/schemas/Scope" }, maxItems: 14 }, grantTypes: { type: "array", minItems: 1, maxItems: 4, uniqueItems: !0, items: { type: "string", $ref: "#/components/schemas/OAuthGrantType" }, default: ["authorization_code", "refresh_token"] }, tokenEndpointAuthMethod: { $ref: "#/components/schemas/OAuthClientAuthMethod" }, jwks: { $ref: "#/components/schemas/ClientKeySet" }, requirePar: { type: "boolean", default: !1 } } }, schema15 = { type: "string", enum: ["authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"] }, schema16 = { type: "string", enum: ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"] }, formats10 = formats.uri, pattern0 = new RegExp("^(?:[^\\s\\u200c\\u200d]|[ \\u00a0\\u3000])*$", "u");
const schema18 = { type: "object", required: ["kty"], additionalProperties: !1, properties: { kty: { type: "string", enum: ["RSA", "EC", "OKP"] }, kid: { type: "string", minLength: 1, maxLength: 200, pattern: "^[\\x20-\\x7e]+$" }, use: { type: "string", enum: ["sig"] }, alg: { type: "string", enum: ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"] }, key_ops: { type: "array", maxItems: 1, items: { type: "string", enum: ["verify"] } }, ext: { type: "boolean" }, n: { type: "string", pattern: "^[A-Za-z0-9_-]+$", maxLength: 1366 }, e: { type: "string", pattern: "^[A-Za-z0-9_-]+$", maxLength: 16 }, crv: { type: "string", enum: ["P-256", "Ed25519"] }, x: { type: "string", pattern: "^[A-Za-z0-9_-]+$", maxLength: 86 }, y: { type: "string", pattern: "^[A-Za-z0-9_-]+$", maxLength: 86 } } }, func24 = Object.prototype.hasOwnProperty, pattern1 = new RegExp("^[\\x20-\\x7e]+$", "u"), pattern2 = new RegExp("^[A-Za-z0-9_-]+$", "u");
function validate10(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate10.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.keys === void 0) {
      const err0 = { instancePath, keyword: "required", params: { missingProperty: "keys" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.keys !== void 0) {
      let data0 = data.keys;
      if (Array.isArray(data0)) {
        if (data0.length > 5) {
          const err1 = { instancePath: instancePath + "/keys", keyword: "maxItems", params: { limit: 5 } };
          vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
        }
        if (data0.length < 1) {
          const err2 = { instancePath: instancePath + "/keys", keyword: "minItems", params: { limit: 1 } };
          vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
        }
        if (data0.length <= 5) {
          const len0 = data0.length;
          for (let i0 = 0; i0 < len0; i0++) {
            let data1 = data0[i0];
            if (data1 && typeof data1 == "object" && !Array.isArray(data1)) {
              if (data1.kty === void 0) {
                const err3 = { instancePath: instancePath + "/keys/" + i0, keyword: "required", params: { missingProperty: "kty" } };
                vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
              }
              if (data1.kty !== void 0) {
                let data2 = data1.kty;
                if (typeof data2 != "string") {
                  const err4 = { instancePath: instancePath + "/keys/" + i0 + "/kty", keyword: "type", params: { type: "string" } };
                  vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
                }
                if (!(data2 === "RSA" || data2 === "EC" || data2 === "OKP")) {
                  const err5 = { instancePath: instancePath + "/keys/" + i0 + "/kty", keyword: "enum", params: { allowedValues: schema18.properties.kty.enum } };
                  vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
                }
              }
              if (data1.kid !== void 0) {
                let data3 = data1.kid;
                if (typeof data3 == "string") {
                  if (func0(data3) > 200) {
                    const err6 = { instancePath: instancePath + "/keys/" + i0 + "/kid", keyword: "maxLength", params: { limit: 200 } };
                    vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
                  }
                  if (func0(data3) < 1) {
                    const err7 = { instancePath: instancePath + "/keys/" + i0 + "/kid", keyword: "minLength", params: { limit: 1 } };
                    vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
                  }
                  if (data3.length <= 400 && !pattern1.test(data3)) {
                    const err8 = { instancePath: instancePath + "/keys/" + i0 + "/kid", keyword: "pattern", params: { pattern: "^[\\x20-\\x7e]+$" } };
                    vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
                  }
                } else {
                  const err9 = { instancePath: instancePath + "/keys/" + i0 + "/kid", keyword: "type", params: { type: "string" } };
                  vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
                }
              }
              if (data1.use !== void 0) {
                let data4 = data1.use;
                if (typeof data4 != "string") {
                  const err10 = { instancePath: instancePath + "/keys/" + i0 + "/use", keyword: "type", params: { type: "string" } };
                  vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
                }
                if (data4 !== "sig") {
                  const err11 = { instancePath: instancePath + "/keys/" + i0 + "/use", keyword: "enum", params: { allowedValues: schema18.properties.use.enum } };
                  vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
                }
              }
              if (data1.alg !== void 0) {
                let data5 = data1.alg;
                if (typeof data5 != "string") {
                  const err12 = { instancePath: instancePath + "/keys/" + i0 + "/alg", keyword: "type", params: { type: "string" } };
                  vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
                }
                if (!(data5 === "RS256" || data5 === "PS256" || data5 === "ES256" || data5 === "EdDSA" || data5 === "Ed25519")) {
                  const err13 = { instancePath: instancePath + "/keys/" + i0 + "/alg", keyword: "enum", params: { allowedValues: schema18.properties.alg.enum } };
                  vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
                }
              }
              if (data1.key_ops !== void 0) {
                let data6 = data1.key_ops;
                if (Array.isArray(data6)) {
                  if (data6.length > 1) {
                    const err14 = { instancePath: instancePath + "/keys/" + i0 + "/key_ops", keyword: "maxItems", params: { limit: 1 } };
                    vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
                  }
                  if (data6.length <= 1) {
                    const len1 = data6.length;
                    for (let i1 = 0; i1 < len1; i1++) {
                      let data7 = data6[i1];
                      if (typeof data7 != "string") {
                        const err15 = { instancePath: instancePath + "/keys/" + i0 + "/key_ops/" + i1, keyword: "type", params: { type: "string" } };
                        vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
                      }
                      if (data7 !== "verify") {
                        const err16 = { instancePath: instancePath + "/keys/" + i0 + "/key_ops/" + i1, keyword: "enum", params: { allowedValues: schema18.properties.key_ops.items.enum } };
                        vErrors === null ? vErrors = [err16] : vErrors.push(err16), errors++;
                      }
                    }
                  }
                } else {
                  const err17 = { instancePath: instancePath + "/keys/" + i0 + "/key_ops", keyword: "type", params: { type: "array" } };
                  vErrors === null ? vErrors = [err17] : vErrors.push(err17), errors++;
                }
              }
              if (data1.ext !== void 0 && typeof data1.ext != "boolean") {
                const err18 = { instancePath: instancePath + "/keys/" + i0 + "/ext", keyword: "type", params: { type: "boolean" } };
                vErrors === null ? vErrors = [err18] : vErrors.push(err18), errors++;
              }
              if (data1.n !== void 0) {
                let data9 = data1.n;
                if (typeof data9 == "string") {
                  if (func0(data9) > 1366) {
                    const err19 = { instancePath: instancePath + "/keys/" + i0 + "/n", keyword: "maxLength", params: { limit: 1366 } };
                    vErrors === null ? vErrors = [err19] : vErrors.push(err19), errors++;
                  }
                  if (data9.length <= 2732 && !pattern2.test(data9)) {
                    const err20 = { instancePath: instancePath + "/keys/" + i0 + "/n", keyword: "pattern", params: { pattern: "^[A-Za-z0-9_-]+$" } };
                    vErrors === null ? vErrors = [err20] : vErrors.push(err20), errors++;
                  }
                } else {
                  const err21 = { instancePath: instancePath + "/keys/" + i0 + "/n", keyword: "type", params: { type: "string" } };
                  vErrors === null ? vErrors = [err21] : vErrors.push(err21), errors++;
                }
              }
              if (data1.e !== void 0) {
                let data10 = data1.e;
                if (typeof data10 == "string") {
                  if (func0(data10) > 16) {
                    const err22 = { instancePath: instancePath + "/keys/" + i0 + "/e", keyword: "maxLength", params: { limit: 16 } };
                    vErrors === null ? vErrors = [err22] : vErrors.push(err22), errors++;
                  }
                  if (data10.length <= 32 && !pattern2.test(data10)) {
                    const err23 = { instancePath: instancePath + "/keys/" + i0 + "/e", keyword: "pattern", params: { pattern: "^[A-Za-z0-9_-]+$" } };
                    vErrors === null ? vErrors = [err23] : vErrors.push(err23), errors++;
                  }
                } else {
                  const err24 = { instancePath: instancePath + "/keys/" + i0 + "/e", keyword: "type", params: { type: "string" } };
                  vErrors === null ? vErrors = [err24] : vErrors.push(err24), errors++;
                }
              }
              if (data1.crv !== void 0) {
                let data11 = data1.crv;
                if (typeof data11 != "string") {
                  const err25 = { instancePath: instancePath + "/keys/" + i0 + "/crv", keyword: "type", params: { type: "string" } };
                  vErrors === null ? vErrors = [err25] : vErrors.push(err25), errors++;
                }
                if (!(data11 === "P-256" || data11 === "Ed25519")) {
                  const err26 = { instancePath: instancePath + "/keys/" + i0 + "/crv", keyword: "enum", params: { allowedValues: schema18.properties.crv.enum } };
                  vErrors === null ? vErrors = [err26] : vErrors.push(err26), errors++;
                }
              }
              if (data1.x !== void 0) {
                let data12 = data1.x;
                if (typeof data12 == "string") {
                  if (func0(data12) > 86) {
                    const err27 = { instancePath: instancePath + "/keys/" + i0 + "/x", keyword: "maxLength", params: { limit: 86 } };
                    vErrors === null ? vErrors = [err27] : vErrors.push(err27), errors++;
                  }
                  if (data12.length <= 172 && !pattern2.test(data12)) {
                    const err28 = { instancePath: instancePath + "/keys/" + i0 + "/x", keyword: "pattern", params: { pattern: "^[A-Za-z0-9_-]+$" } };
                    vErrors === null ? vErrors = [err28] : vErrors.push(err28), errors++;
                  }
                } else {
                  const err29 = { instancePath: instancePath + "/keys/" + i0 + "/x", keyword: "type", params: { type: "string" } };
                  vErrors === null ? vErrors = [err29] : vErrors.push(err29), errors++;
                }
              }
              if (data1.y !== void 0) {
                let data13 = data1.y;
                if (typeof data13 == "string") {
                  if (func0(data13) > 86) {
                    const err30 = { instancePath: instancePath + "/keys/" + i0 + "/y", keyword: "maxLength", params: { limit: 86 } };
                    vErrors === null ? vErrors = [err30] : vErrors.push(err30), errors++;
                  }
                  if (data13.length <= 172 && !pattern2.test(data13)) {
                    const err31 = { instancePath: instancePath + "/keys/" + i0 + "/y", keyword: "pattern", params: { pattern: "^[A-Za-z0-9_-]+$" } };
                    vErrors === null ? vErrors = [err31] : vErrors.push(err31), errors++;
                  }
                } else {
                  const err32 = { instancePath: instancePath + "/keys/" + i0 + "/y", keyword: "type", params: { type: "string" } };
                  vErrors === null ? vErrors = [err32] : vErrors.push(err32), errors++;
                }
              }
              for (const key0 in data1)
                if (!func24.call(schema18.properties, key0)) {
                  const err33 = { instancePath: instancePath + "/keys/" + i0, keyword: "additionalProperties", params: { additionalProperty: key0, known: "kty,kid,use,alg,key_ops,ext,n,e,crv,x,y" } };
                  vErrors === null ? vErrors = [err33] : vErrors.push(err33), errors++;
                }
            } else {
              const err34 = { instancePath: instancePath + "/keys/" + i0, keyword: "type", params: { type: "object" } };
              vErrors === null ? vErrors = [err34] : vErrors.push(err34), errors++;
            }
          }
        }
      } else {
        const err35 = { instancePath: instancePath + "/keys", keyword: "type", params: { type: "array" } };
        vErrors === null ? vErrors = [err35] : vErrors.push(err35), errors++;
      }
    }
    for (const key1 in data)
      if (key1 !== "keys") {
        const err36 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key1, known: "keys" } };
        vErrors === null ? vErrors = [err36] : vErrors.push(err36), errors++;
      }
  } else {
    const err37 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err37] : vErrors.push(err37), errors++;
  }
  return validate10.errors = vErrors, errors === 0;
}
validate10.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
function validate9(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate9.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.redirectUris === void 0 && (data.redirectUris = []), data.grantTypes === void 0 && (data.grantTypes = ["authorization_code", "refresh_token"]), data.requirePar === void 0 && (data.requirePar = !1), data.name === void 0) {
      const err0 = { instancePath, keyword: "required", params: { missingProperty: "name" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.type === void 0) {
      const err1 = { instancePath, keyword: "required", params: { missingProperty: "type" } };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
    if (data.scopes === void 0) {
      const err2 = { instancePath, keyword: "required", params: { missingProperty: "scopes" } };
      vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
    }
    if (data.name !== void 0) {
      let data0 = data.name;
      if (typeof data0 == "string") {
        if (data0 = data.name = data0.trim(), func0(data0) > 120) {
          const err3 = { instancePath: instancePath + "/name", keyword: "maxLength", params: { limit: 120 } };
          vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
        }
        if (func0(data0) < 1) {
          const err4 = { instancePath: instancePath + "/name", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
        }
        if (data0.length <= 240 && !pattern0.test(data0)) {
          const err5 = { instancePath: instancePath + "/name", keyword: "pattern", params: { pattern: "^(?:[^\\s\\u200c\\u200d]|[ \\u00a0\\u3000])*$" } };
          vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
        }
        if (data0.length <= 240 && !formats2(data0)) {
          const err6 = { instancePath: instancePath + "/name", keyword: "format", params: { format: "name" } };
          vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
        }
      } else {
        const err7 = { instancePath: instancePath + "/name", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
      }
    }
    if (data.type !== void 0) {
      let data1 = data.type;
      if (typeof data1 != "string") {
        const err8 = { instancePath: instancePath + "/type", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
      }
      if (!(data1 === "confidential" || data1 === "public")) {
        const err9 = { instancePath: instancePath + "/type", keyword: "enum", params: { allowedValues: schema13.properties.type.enum } };
        vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
      }
    }
    let data2 = data.redirectUris;
    if (Array.isArray(data2)) {
      if (data2.length > 10) {
        const err10 = { instancePath: instancePath + "/redirectUris", keyword: "maxItems", params: { limit: 10 } };
        vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
      }
      if (data2.length <= 10) {
        const len0 = data2.length;
        for (let i0 = 0; i0 < len0; i0++) {
          let data3 = data2[i0];
          if (typeof data3 == "string") {
            if (func0(data3) > 2048) {
              const err11 = { instancePath: instancePath + "/redirectUris/" + i0, keyword: "maxLength", params: { limit: 2048 } };
              vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
            }
            if (data3.length <= 4096 && !formats10(data3)) {
              const err12 = { instancePath: instancePath + "/redirectUris/" + i0, keyword: "format", params: { format: "uri" } };
              vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
            }
          } else {
            const err13 = { instancePath: instancePath + "/redirectUris/" + i0, keyword: "type", params: { type: "string" } };
            vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
          }
        }
      }
      if (data2.length <= 10) {
        let i1 = data2.length, j0;
        if (i1 > 1) {
          const indices0 = {};
          for (; i1--; ) {
            let item0 = data2[i1];
            if (typeof item0 == "string") {
              if (typeof indices0[item0] == "number") {
                j0 = indices0[item0];
                const err14 = { instancePath: instancePath + "/redirectUris", keyword: "uniqueItems", params: { i: i1, j: j0 } };
                vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
                break;
              }
              indices0[item0] = i1;
            }
          }
        }
      }
    } else {
      const err15 = { instancePath: instancePath + "/redirectUris", keyword: "type", params: { type: "array" } };
      vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
    }
    if (data.scopes !== void 0) {
      let data4 = data.scopes;
      if (Array.isArray(data4)) {
        if (data4.length > 14) {
          const err16 = { instancePath: instancePath + "/scopes", keyword: "maxItems", params: { limit: 14 } };
          vErrors === null ? vErrors = [err16] : vErrors.push(err16), errors++;
        }
        if (data4.length < 1) {
          const err17 = { instancePath: instancePath + "/scopes", keyword: "minItems", params: { limit: 1 } };
          vErrors === null ? vErrors = [err17] : vErrors.push(err17), errors++;
        }
        if (data4.length <= 14) {
          const len1 = data4.length;
          for (let i2 = 0; i2 < len1; i2++) {
            let data5 = data4[i2];
            if (typeof data5 != "string") {
              const err18 = { instancePath: instancePath + "/scopes/" + i2, keyword: "type", params: { type: "string" } };
              vErrors === null ? vErrors = [err18] : vErrors.push(err18), errors++;
            }
            if (typeof data5 != "string") {
              const err19 = { instancePath: instancePath + "/scopes/" + i2, keyword: "type", params: { type: "string" } };
              vErrors === null ? vErrors = [err19] : vErrors.push(err19), errors++;
            }
            if (!(data5 === "vaults:read" || data5 === "vaults:write" || data5 === "documents:read" || data5 === "documents:write" || data5 === "documents:share" || data5 === "instances:read" || data5 === "instances:write" || data5 === "users:read" || data5 === "users:write" || data5 === "webhooks:read" || data5 === "webhooks:write" || data5 === "consents:read" || data5 === "consents:write" || data5 === "admin:*")) {
              const err20 = { instancePath: instancePath + "/scopes/" + i2, keyword: "enum", params: { allowedValues: schema11.enum } };
              vErrors === null ? vErrors = [err20] : vErrors.push(err20), errors++;
            }
          }
        }
        if (data4.length <= 14) {
          let i3 = data4.length, j1;
          if (i3 > 1) {
            const indices1 = {};
            for (; i3--; ) {
              let item1 = data4[i3];
              if (typeof item1 == "string") {
                if (typeof indices1[item1] == "number") {
                  j1 = indices1[item1];
                  const err21 = { instancePath: instancePath + "/scopes", keyword: "uniqueItems", params: { i: i3, j: j1 } };
                  vErrors === null ? vErrors = [err21] : vErrors.push(err21), errors++;
                  break;
                }
                indices1[item1] = i3;
              }
            }
          }
        }
      } else {
        const err22 = { instancePath: instancePath + "/scopes", keyword: "type", params: { type: "array" } };
        vErrors === null ? vErrors = [err22] : vErrors.push(err22), errors++;
      }
    }
    let data6 = data.grantTypes;
    if (Array.isArray(data6)) {
      if (data6.length > 4) {
        const err23 = { instancePath: instancePath + "/grantTypes", keyword: "maxItems", params: { limit: 4 } };
        vErrors === null ? vErrors = [err23] : vErrors.push(err23), errors++;
      }
      if (data6.length < 1) {
        const err24 = { instancePath: instancePath + "/grantTypes", keyword: "minItems", params: { limit: 1 } };
        vErrors === null ? vErrors = [err24] : vErrors.push(err24), errors++;
      }
      if (data6.length <= 4) {
        const len2 = data6.length;
        for (let i4 = 0; i4 < len2; i4++) {
          let data7 = data6[i4];
          if (typeof data7 != "string") {
            const err25 = { instancePath: instancePath + "/grantTypes/" + i4, keyword: "type", params: { type: "string" } };
            vErrors === null ? vErrors = [err25] : vErrors.push(err25), errors++;
          }
          if (typeof data7 != "string") {
            const err26 = { instancePath: instancePath + "/grantTypes/" + i4, keyword: "type", params: { type: "string" } };
            vErrors === null ? vErrors = [err26] : vErrors.push(err26), errors++;
          }
          if (!(data7 === "authorization_code" || data7 === "refresh_token" || data7 === "client_credentials" || data7 === "urn:ietf:params:oauth:grant-type:device_code")) {
            const err27 = { instancePath: instancePath + "/grantTypes/" + i4, keyword: "enum", params: { allowedValues: schema15.enum } };
            vErrors === null ? vErrors = [err27] : vErrors.push(err27), errors++;
          }
        }
      }
      if (data6.length <= 4) {
        let i5 = data6.length, j2;
        if (i5 > 1) {
          const indices2 = {};
          for (; i5--; ) {
            let item2 = data6[i5];
            if (typeof item2 == "string") {
              if (typeof indices2[item2] == "number") {
                j2 = indices2[item2];
                const err28 = { instancePath: instancePath + "/grantTypes", keyword: "uniqueItems", params: { i: i5, j: j2 } };
                vErrors === null ? vErrors = [err28] : vErrors.push(err28), errors++;
                break;
              }
              indices2[item2] = i5;
            }
          }
        }
      }
    } else {
      const err29 = { instancePath: instancePath + "/grantTypes", keyword: "type", params: { type: "array" } };
      vErrors === null ? vErrors = [err29] : vErrors.push(err29), errors++;
    }
    if (data.tokenEndpointAuthMethod !== void 0) {
      let data8 = data.tokenEndpointAuthMethod;
      if (typeof data8 != "string") {
        const err30 = { instancePath: instancePath + "/tokenEndpointAuthMethod", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err30] : vErrors.push(err30), errors++;
      }
      if (!(data8 === "client_secret_basic" || data8 === "client_secret_post" || data8 === "private_key_jwt" || data8 === "none")) {
        const err31 = { instancePath: instancePath + "/tokenEndpointAuthMethod", keyword: "enum", params: { allowedValues: schema16.enum } };
        vErrors === null ? vErrors = [err31] : vErrors.push(err31), errors++;
      }
    }
    if (data.jwks !== void 0 && (validate10(data.jwks, { instancePath: instancePath + "/jwks", parentData: data, parentDataProperty: "jwks", rootData, dynamicAnchors }) || (vErrors = vErrors === null ? validate10.errors : vErrors.concat(validate10.errors), errors = vErrors.length)), typeof data.requirePar != "boolean") {
      const err32 = { instancePath: instancePath + "/requirePar", keyword: "type", params: { type: "boolean" } };
      vErrors === null ? vErrors = [err32] : vErrors.push(err32), errors++;
    }
    for (const key0 in data)
      if (!(key0 === "name" || key0 === "type" || key0 === "redirectUris" || key0 === "scopes" || key0 === "grantTypes" || key0 === "tokenEndpointAuthMethod" || key0 === "jwks" || key0 === "requirePar")) {
        const err33 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key0, known: "name,type,redirectUris,scopes,grantTypes,tokenEndpointAuthMethod,jwks,requirePar" } };
        vErrors === null ? vErrors = [err33] : vErrors.push(err33), errors++;
      }
  } else {
    const err34 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err34] : vErrors.push(err34), errors++;
  }
  return validate9.errors = vErrors, errors === 0;
}
validate9.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
function validate8(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate8.evaluated;
  return evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), validate9(data, { instancePath, parentData, parentDataProperty, rootData, dynamicAnchors }) || (vErrors = vErrors === null ? validate9.errors : vErrors.concat(validate9.errors), errors = vErrors.length), validate8.errors = vErrors, errors === 0;
}
validate8.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const updateOAuthClient = validate13;
function validate14(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate14.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (Object.keys(data).length < 1) {
      const err0 = { instancePath, keyword: "minProperties", params: { limit: 1 } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.name !== void 0) {
      let data0 = data.name;
      if (typeof data0 == "string") {
        if (data0 = data.name = data0.trim(), func0(data0) > 120) {
          const err1 = { instancePath: instancePath + "/name", keyword: "maxLength", params: { limit: 120 } };
          vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
        }
        if (func0(data0) < 1) {
          const err2 = { instancePath: instancePath + "/name", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
        }
        if (data0.length <= 240 && !pattern0.test(data0)) {
          const err3 = { instancePath: instancePath + "/name", keyword: "pattern", params: { pattern: "^(?:[^\\s\\u200c\\u200d]|[ \\u00a0\\u3000])*$" } };
          vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
        }
        if (data0.length <= 240 && !formats2(data0)) {
          const err4 = { instancePath: instancePath + "/name", keyword: "format", params: { format: "name" } };
          vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
        }
      } else {
        const err5 = { instancePath: instancePath + "/name", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
      }
    }
    if (data.redirectUris !== void 0) {
      let data1 = data.redirectUris;
      if (Array.isArray(data1)) {
        if (data1.length > 10) {
          const err6 = { instancePath: instancePath + "/redirectUris", keyword: "maxItems", params: { limit: 10 } };
          vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
        }
        if (data1.length <= 10) {
          const len0 = data1.length;
          for (let i0 = 0; i0 < len0; i0++) {
            let data2 = data1[i0];
            if (typeof data2 == "string") {
              if (func0(data2) > 2048) {
                const err7 = { instancePath: instancePath + "/redirectUris/" + i0, keyword: "maxLength", params: { limit: 2048 } };
                vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
              }
              if (data2.length <= 4096 && !formats10(data2)) {
                const err8 = { instancePath: instancePath + "/redirectUris/" + i0, keyword: "format", params: { format: "uri" } };
                vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
              }
            } else {
              const err9 = { instancePath: instancePath + "/redirectUris/" + i0, keyword: "type", params: { type: "string" } };
              vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
            }
          }
        }
        if (data1.length <= 10) {
          let i1 = data1.length, j0;
          if (i1 > 1) {
            const indices0 = {};
            for (; i1--; ) {
              let item0 = data1[i1];
              if (typeof item0 == "string") {
                if (typeof indices0[item0] == "number") {
                  j0 = indices0[item0];
                  const err10 = { instancePath: instancePath + "/redirectUris", keyword: "uniqueItems", params: { i: i1, j: j0 } };
                  vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
                  break;
                }
                indices0[item0] = i1;
              }
            }
          }
        }
      } else {
        const err11 = { instancePath: instancePath + "/redirectUris", keyword: "type", params: { type: "array" } };
        vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
      }
    }
    if (data.scopes !== void 0) {
      let data3 = data.scopes;
      if (Array.isArray(data3)) {
        if (data3.length > 14) {
          const err12 = { instancePath: instancePath + "/scopes", keyword: "maxItems", params: { limit: 14 } };
          vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
        }
        if (data3.length < 1) {
          const err13 = { instancePath: instancePath + "/scopes", keyword: "minItems", params: { limit: 1 } };
          vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
        }
        if (data3.length <= 14) {
          const len1 = data3.length;
          for (let i2 = 0; i2 < len1; i2++) {
            let data4 = data3[i2];
            if (typeof data4 != "string") {
              const err14 = { instancePath: instancePath + "/scopes/" + i2, keyword: "type", params: { type: "string" } };
              vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
            }
            if (typeof data4 != "string") {
              const err15 = { instancePath: instancePath + "/scopes/" + i2, keyword: "type", params: { type: "string" } };
              vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
            }
            if (!(data4 === "vaults:read" || data4 === "vaults:write" || data4 === "documents:read" || data4 === "documents:write" || data4 === "documents:share" || data4 === "instances:read" || data4 === "instances:write" || data4 === "users:read" || data4 === "users:write" || data4 === "webhooks:read" || data4 === "webhooks:write" || data4 === "consents:read" || data4 === "consents:write" || data4 === "admin:*")) {
              const err16 = { instancePath: instancePath + "/scopes/" + i2, keyword: "enum", params: { allowedValues: schema11.enum } };
              vErrors === null ? vErrors = [err16] : vErrors.push(err16), errors++;
            }
          }
        }
        if (data3.length <= 14) {
          let i3 = data3.length, j1;
          if (i3 > 1) {
            const indices1 = {};
            for (; i3--; ) {
              let item1 = data3[i3];
              if (typeof item1 == "string") {
                if (typeof indices1[item1] == "number") {
                  j1 = indices1[item1];
                  const err17 = { instancePath: instancePath + "/scopes", keyword: "uniqueItems", params: { i: i3, j: j1 } };
                  vErrors === null ? vErrors = [err17] : vErrors.push(err17), errors++;
                  break;
                }
                indices1[item1] = i3;
              }
            }
          }
        }
      } else {
        const err18 = { instancePath: instancePath + "/scopes", keyword: "type", params: { type: "array" } };
        vErrors === null ? vErrors = [err18] : vErrors.push(err18), errors++;
      }
    }
    if (data.grantTypes !== void 0) {
      let data5 = data.grantTypes;
      if (Array.isArray(data5)) {
        if (data5.length > 4) {
          const err19 = { instancePath: instancePath + "/grantTypes", keyword: "maxItems", params: { limit: 4 } };
          vErrors === null ? vErrors = [err19] : vErrors.push(err19), errors++;
        }
        if (data5.length < 1) {
          const err20 = { instancePath: instancePath + "/grantTypes", keyword: "minItems", params: { limit: 1 } };
          vErrors === null ? vErrors = [err20] : vErrors.push(err20), errors++;
        }
        if (data5.length <= 4) {
          const len2 = data5.length;
          for (let i4 = 0; i4 < len2; i4++) {
            let data6 = data5[i4];
            if (typeof data6 != "string") {
              const err21 = { instancePath: instancePath + "/grantTypes/" + i4, keyword: "type", params: { type: "string" } };
              vErrors === null ? vErrors = [err21] : vErrors.push(err21), errors++;
            }
            if (typeof data6 != "string") {
              const err22 = { instancePath: instancePath + "/grantTypes/" + i4, keyword: "type", params: { type: "string" } };
              vErrors === null ? vErrors = [err22] : vErrors.push(err22), errors++;
            }
            if (!(data6 === "authorization_code" || data6 === "refresh_token" || data6 === "client_credentials" || data6 === "urn:ietf:params:oauth:grant-type:device_code")) {
              const err23 = { instancePath: instancePath + "/grantTypes/" + i4, keyword: "enum", params: { allowedValues: schema15.enum } };
              vErrors === null ? vErrors = [err23] : vErrors.push(err23), errors++;
            }
          }
        }
        if (data5.length <= 4) {
          let i5 = data5.length, j2;
          if (i5 > 1) {
            const indices2 = {};
            for (; i5--; ) {
              let item2 = data5[i5];
              if (typeof item2 == "string") {
                if (typeof indices2[item2] == "number") {
                  j2 = indices2[item2];
                  const err24 = { instancePath: instancePath + "/grantTypes", keyword: "uniqueItems", params: { i: i5, j: j2 } };
                  vErrors === null ? vErrors = [err24] : vErrors.push(err24), errors++;
                  break;
                }
                indices2[item2] = i5;
              }
            }
          }
        }
      } else {
        const err25 = { instancePath: instancePath + "/grantTypes", keyword: "type", params: { type: "array" } };
        vErrors === null ? vErrors = [err25] : vErrors.push(err25), errors++;
      }
    }
    if (data.jwks !== void 0 && (validate10(data.jwks, { instancePath: instancePath + "/jwks", parentData: data, parentDataProperty: "jwks", rootData, dynamicAnchors }) || (vErrors = vErrors === null ? validate10.errors : vErrors.concat(validate10.errors), errors = vErrors.length)), data.requirePar !== void 0 && typeof data.requirePar != "boolean") {
      const err26 = { instancePath: instancePath + "/requirePar", keyword: "type", params: { type: "boolean" } };
      vErrors === null ? vErrors = [err26] : vErrors.push(err26), errors++;
    }
    if (data.disabled !== void 0 && typeof data.disabled != "boolean") {
      const err27 = { instancePath: instancePath + "/disabled", keyword: "type", params: { type: "boolean" } };
      vErrors === null ? vErrors = [err27] : vErrors.push(err27), errors++;
    }
    if (data.verified !== void 0 && typeof data.verified != "boolean") {
      const err28 = { instancePath: instancePath + "/verified", keyword: "type", params: { type: "boolean" } };
      vErrors === null ? vErrors = [err28] : vErrors.push(err28), errors++;
    }
    for (const key0 in data)
      if (!(key0 === "name" || key0 === "redirectUris" || key0 === "scopes" || key0 === "grantTypes" || key0 === "jwks" || key0 === "requirePar" || key0 === "disabled" || key0 === "verified")) {
        const err29 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key0, known: "name,redirectUris,scopes,grantTypes,jwks,requirePar,disabled,verified" } };
        vErrors === null ? vErrors = [err29] : vErrors.push(err29), errors++;
      }
  } else {
    const err30 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err30] : vErrors.push(err30), errors++;
  }
  return validate14.errors = vErrors, errors === 0;
}
validate14.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
function validate13(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate13.evaluated;
  return evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), validate14(data, { instancePath, parentData, parentDataProperty, rootData, dynamicAnchors }) || (vErrors = vErrors === null ? validate14.errors : vErrors.concat(validate14.errors), errors = vErrors.length), validate13.errors = vErrors, errors === 0;
}
validate13.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const createVault = validate17;
const schema24 = { type: "object", required: ["name"], additionalProperties: !1, properties: { name: { type: "string", minLength: 1, maxLength: 120, format: "name", "x-trimmed": !0 }, description: { type: ["string", "null"], maxLength: 2e3, pattern: "^[^\\u0000]*$" }, category: { type: ["string", "null"], minLength: 1, maxLength: 50, pattern: "^[a-z0-9_-]+$" } } }, pattern7 = new RegExp("^[^\\u0000]*$", "u"), pattern8 = new RegExp("^[a-z0-9_-]+$", "u");
function validate17(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate17.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.name === void 0) {
      const err0 = { instancePath, keyword: "required", params: { missingProperty: "name" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.name !== void 0) {
      let data0 = data.name;
      if (typeof data0 == "string") {
        if (data0 = data.name = data0.trim(), func0(data0) > 120) {
          const err1 = { instancePath: instancePath + "/name", keyword: "maxLength", params: { limit: 120 } };
          vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
        }
        if (func0(data0) < 1) {
          const err2 = { instancePath: instancePath + "/name", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
        }
        if (data0.length <= 240 && !formats2(data0)) {
          const err3 = { instancePath: instancePath + "/name", keyword: "format", params: { format: "name" } };
          vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
        }
      } else {
        const err4 = { instancePath: instancePath + "/name", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    if (data.description !== void 0) {
      let data1 = data.description;
      if (typeof data1 != "string" && data1 !== null) {
        const err5 = { instancePath: instancePath + "/description", keyword: "type", params: { type: schema24.properties.description.type } };
        vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
      }
      if (typeof data1 == "string") {
        if (func0(data1) > 2e3) {
          const err6 = { instancePath: instancePath + "/description", keyword: "maxLength", params: { limit: 2e3 } };
          vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
        }
        if (data1.length <= 4e3 && !pattern7.test(data1)) {
          const err7 = { instancePath: instancePath + "/description", keyword: "pattern", params: { pattern: "^[^\\u0000]*$" } };
          vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
        }
      }
    }
    if (data.category !== void 0) {
      let data2 = data.category;
      if (typeof data2 != "string" && data2 !== null) {
        const err8 = { instancePath: instancePath + "/category", keyword: "type", params: { type: schema24.properties.category.type } };
        vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
      }
      if (typeof data2 == "string") {
        if (func0(data2) > 50) {
          const err9 = { instancePath: instancePath + "/category", keyword: "maxLength", params: { limit: 50 } };
          vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
        }
        if (func0(data2) < 1) {
          const err10 = { instancePath: instancePath + "/category", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
        }
        if (data2.length <= 100 && !pattern8.test(data2)) {
          const err11 = { instancePath: instancePath + "/category", keyword: "pattern", params: { pattern: "^[a-z0-9_-]+$" } };
          vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
        }
      }
    }
    for (const key0 in data)
      if (!(key0 === "name" || key0 === "description" || key0 === "category")) {
        const err12 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key0, known: "name,description,category" } };
        vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
      }
  } else {
    const err13 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
  }
  return validate17.errors = vErrors, errors === 0;
}
validate17.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const updateVault = validate18;
const schema26 = { type: "object", additionalProperties: !1, minProperties: 1, properties: { name: { type: "string", minLength: 1, maxLength: 120, format: "name", "x-trimmed": !0 }, description: { type: ["string", "null"], maxLength: 2e3, pattern: "^[^\\u0000]*$" }, category: { type: ["string", "null"], minLength: 1, maxLength: 50, pattern: "^[a-z0-9_-]+$" }, isActive: { type: "boolean" } } };
function validate18(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate18.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (Object.keys(data).length < 1) {
      const err0 = { instancePath, keyword: "minProperties", params: { limit: 1 } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.name !== void 0) {
      let data0 = data.name;
      if (typeof data0 == "string") {
        if (data0 = data.name = data0.trim(), func0(data0) > 120) {
          const err1 = { instancePath: instancePath + "/name", keyword: "maxLength", params: { limit: 120 } };
          vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
        }
        if (func0(data0) < 1) {
          const err2 = { instancePath: instancePath + "/name", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
        }
        if (data0.length <= 240 && !formats2(data0)) {
          const err3 = { instancePath: instancePath + "/name", keyword: "format", params: { format: "name" } };
          vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
        }
      } else {
        const err4 = { instancePath: instancePath + "/name", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    if (data.description !== void 0) {
      let data1 = data.description;
      if (typeof data1 != "string" && data1 !== null) {
        const err5 = { instancePath: instancePath + "/description", keyword: "type", params: { type: schema26.properties.description.type } };
        vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
      }
      if (typeof data1 == "string") {
        if (func0(data1) > 2e3) {
          const err6 = { instancePath: instancePath + "/description", keyword: "maxLength", params: { limit: 2e3 } };
          vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
        }
        if (data1.length <= 4e3 && !pattern7.test(data1)) {
          const err7 = { instancePath: instancePath + "/description", keyword: "pattern", params: { pattern: "^[^\\u0000]*$" } };
          vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
        }
      }
    }
    if (data.category !== void 0) {
      let data2 = data.category;
      if (typeof data2 != "string" && data2 !== null) {
        const err8 = { instancePath: instancePath + "/category", keyword: "type", params: { type: schema26.properties.category.type } };
        vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
      }
      if (typeof data2 == "string") {
        if (func0(data2) > 50) {
          const err9 = { instancePath: instancePath + "/category", keyword: "maxLength", params: { limit: 50 } };
          vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
        }
        if (func0(data2) < 1) {
          const err10 = { instancePath: instancePath + "/category", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
        }
        if (data2.length <= 100 && !pattern8.test(data2)) {
          const err11 = { instancePath: instancePath + "/category", keyword: "pattern", params: { pattern: "^[a-z0-9_-]+$" } };
          vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
        }
      }
    }
    if (data.isActive !== void 0 && typeof data.isActive != "boolean") {
      const err12 = { instancePath: instancePath + "/isActive", keyword: "type", params: { type: "boolean" } };
      vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
    }
    for (const key0 in data)
      if (!(key0 === "name" || key0 === "description" || key0 === "category" || key0 === "isActive")) {
        const err13 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key0, known: "name,description,category,isActive" } };
        vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
      }
  } else {
    const err14 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
  }
  return validate18.errors = vErrors, errors === 0;
}
validate18.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const updateVaultKeys = validate19;
const formats20 = formats.byte;
function validate19(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate19.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.version === void 0) {
      const err0 = { instancePath, keyword: "required", params: { missingProperty: "version" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.generation === void 0) {
      const err1 = { instancePath, keyword: "required", params: { missingProperty: "generation" } };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
    if (data.sealed === void 0) {
      const err2 = { instancePath, keyword: "required", params: { missingProperty: "sealed" } };
      vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
    }
    if (data.version !== void 0) {
      let data0 = data.version;
      if (!(typeof data0 == "number" && !(data0 % 1) && !isNaN(data0) && isFinite(data0))) {
        const err3 = { instancePath: instancePath + "/version", keyword: "type", params: { type: "integer" } };
        vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
      }
      if (typeof data0 == "number" && isFinite(data0)) {
        if (data0 > 9007199254740991 || isNaN(data0)) {
          const err4 = { instancePath: instancePath + "/version", keyword: "maximum", params: { comparison: "<=", limit: 9007199254740991 } };
          vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
        }
        if (data0 < 1 || isNaN(data0)) {
          const err5 = { instancePath: instancePath + "/version", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
          vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
        }
      }
    }
    if (data.generation !== void 0) {
      let data1 = data.generation;
      if (!(typeof data1 == "number" && !(data1 % 1) && !isNaN(data1) && isFinite(data1))) {
        const err6 = { instancePath: instancePath + "/generation", keyword: "type", params: { type: "integer" } };
        vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
      }
      if (typeof data1 == "number" && isFinite(data1)) {
        if (data1 > 250 || isNaN(data1)) {
          const err7 = { instancePath: instancePath + "/generation", keyword: "maximum", params: { comparison: "<=", limit: 250 } };
          vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
        }
        if (data1 < 1 || isNaN(data1)) {
          const err8 = { instancePath: instancePath + "/generation", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
          vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
        }
      }
    }
    if (data.sealed !== void 0) {
      let data2 = data.sealed;
      if (typeof data2 == "string") {
        if (func0(data2) > 43692) {
          const err9 = { instancePath: instancePath + "/sealed", keyword: "maxLength", params: { limit: 43692 } };
          vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
        }
        if (func0(data2) < 4) {
          const err10 = { instancePath: instancePath + "/sealed", keyword: "minLength", params: { limit: 4 } };
          vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
        }
        if (data2.length <= 87384 && !formats20(data2)) {
          const err11 = { instancePath: instancePath + "/sealed", keyword: "format", params: { format: "byte" } };
          vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
        }
      } else {
        const err12 = { instancePath: instancePath + "/sealed", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
      }
    }
    for (const key0 in data)
      if (!(key0 === "version" || key0 === "generation" || key0 === "sealed")) {
        const err13 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key0, known: "version,generation,sealed" } };
        vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
      }
  } else {
    const err14 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
  }
  return validate19.errors = vErrors, errors === 0;
}
validate19.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const createDocument = validate20;
const pattern11 = new RegExp("^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-7[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$", "u"), pattern12 = new RegExp("^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}$", "u"), func54 = jsonBytes, formats22 = formats["file-name"], formats26 = formats.int64;
function validate21(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate21.evaluated;
  evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0);
  const _errs1 = errors;
  let valid0 = !0;
  const _errs2 = errors;
  if (data && typeof data == "object" && !Array.isArray(data)) {
    let missing0;
    if (data.uploadId === void 0 && (missing0 = "uploadId")) {
      const err0 = {};
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
  }
  var _valid0 = _errs2 === errors;
  errors = _errs1, vErrors !== null && (_errs1 ? vErrors.length = _errs1 : vErrors = null);
  let ifClause0;
  if (_valid0) {
    const _errs4 = errors;
    if (data && typeof data == "object" && !Array.isArray(data)) {
      if (data.encryptedData !== void 0) {
        const err1 = { instancePath: instancePath + "/encryptedData", keyword: "not", params: {} };
        vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
      }
      if (data.id !== void 0) {
        const err2 = { instancePath: instancePath + "/id", keyword: "not", params: {} };
        vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
      }
    }
    var _valid0 = _errs4 === errors;
    valid0 = _valid0, ifClause0 = "then";
  } else {
    const _errs10 = errors;
    if (data && typeof data == "object" && !Array.isArray(data) && data.encryptedData === void 0) {
      const err3 = { instancePath, keyword: "required", params: { missingProperty: "encryptedData" } };
      vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
    }
    var _valid0 = _errs10 === errors;
    valid0 = _valid0, ifClause0 = "else";
  }
  if (!valid0) {
    const err4 = { instancePath, keyword: "if", params: { failingKeyword: ifClause0 } };
    vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
  }
  if (data && typeof data == "object" && !Array.isArray(data)) {
    if (data.vaultId === void 0) {
      const err5 = { instancePath, keyword: "required", params: { missingProperty: "vaultId" } };
      vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
    }
    if (data.fileName === void 0) {
      const err6 = { instancePath, keyword: "required", params: { missingProperty: "fileName" } };
      vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
    }
    if (data.sizeBytes === void 0) {
      const err7 = { instancePath, keyword: "required", params: { missingProperty: "sizeBytes" } };
      vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
    }
    if (data.mimeType === void 0) {
      const err8 = { instancePath, keyword: "required", params: { missingProperty: "mimeType" } };
      vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
    }
    if (data.encryptionMetadata === void 0) {
      const err9 = { instancePath, keyword: "required", params: { missingProperty: "encryptionMetadata" } };
      vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
    }
    if (data.id !== void 0) {
      let data2 = data.id;
      if (typeof data2 == "string") {
        if (data2 = data.id = data2.toLowerCase(), !pattern11.test(data2)) {
          const err10 = { instancePath: instancePath + "/id", keyword: "pattern", params: { pattern: "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-7[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$" } };
          vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
        }
      } else {
        const err11 = { instancePath: instancePath + "/id", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
      }
    }
    if (data.vaultId !== void 0) {
      let data3 = data.vaultId;
      if (typeof data3 == "string") {
        if (data3 = data.vaultId = data3.toLowerCase(), func0(data3) > 255) {
          const err12 = { instancePath: instancePath + "/vaultId", keyword: "maxLength", params: { limit: 255 } };
          vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
        }
        if (func0(data3) < 1) {
          const err13 = { instancePath: instancePath + "/vaultId", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
        }
      } else {
        const err14 = { instancePath: instancePath + "/vaultId", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
      }
    }
    if (data.fileName !== void 0) {
      let data4 = data.fileName;
      if (typeof data4 == "string") {
        if (func0(data4) > 255) {
          const err15 = { instancePath: instancePath + "/fileName", keyword: "maxLength", params: { limit: 255 } };
          vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
        }
        if (func0(data4) < 1) {
          const err16 = { instancePath: instancePath + "/fileName", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err16] : vErrors.push(err16), errors++;
        }
        if (data4.length <= 510 && !formats22(data4)) {
          const err17 = { instancePath: instancePath + "/fileName", keyword: "format", params: { format: "file-name" } };
          vErrors === null ? vErrors = [err17] : vErrors.push(err17), errors++;
        }
      } else {
        const err18 = { instancePath: instancePath + "/fileName", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err18] : vErrors.push(err18), errors++;
      }
    }
    if (data.encryptedData !== void 0) {
      let data5 = data.encryptedData;
      if (typeof data5 == "string") {
        if (!formats20(data5)) {
          const err19 = { instancePath: instancePath + "/encryptedData", keyword: "format", params: { format: "byte" } };
          vErrors === null ? vErrors = [err19] : vErrors.push(err19), errors++;
        }
      } else {
        const err20 = { instancePath: instancePath + "/encryptedData", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err20] : vErrors.push(err20), errors++;
      }
    }
    if (data.uploadId !== void 0) {
      let data6 = data.uploadId;
      if (typeof data6 == "string") {
        if (data6 = data.uploadId = data6.toLowerCase(), func0(data6) > 255) {
          const err21 = { instancePath: instancePath + "/uploadId", keyword: "maxLength", params: { limit: 255 } };
          vErrors === null ? vErrors = [err21] : vErrors.push(err21), errors++;
        }
        if (func0(data6) < 1) {
          const err22 = { instancePath: instancePath + "/uploadId", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err22] : vErrors.push(err22), errors++;
        }
      } else {
        const err23 = { instancePath: instancePath + "/uploadId", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err23] : vErrors.push(err23), errors++;
      }
    }
    if (data.sizeBytes !== void 0) {
      let data7 = data.sizeBytes;
      if (!(typeof data7 == "number" && !(data7 % 1) && !isNaN(data7) && isFinite(data7))) {
        const err24 = { instancePath: instancePath + "/sizeBytes", keyword: "type", params: { type: "integer" } };
        vErrors === null ? vErrors = [err24] : vErrors.push(err24), errors++;
      }
      if (typeof data7 == "number" && isFinite(data7)) {
        if (data7 < 0 || isNaN(data7)) {
          const err25 = { instancePath: instancePath + "/sizeBytes", keyword: "minimum", params: { comparison: ">=", limit: 0 } };
          vErrors === null ? vErrors = [err25] : vErrors.push(err25), errors++;
        }
        if (!formats26.validate(data7)) {
          const err26 = { instancePath: instancePath + "/sizeBytes", keyword: "format", params: { format: "int64" } };
          vErrors === null ? vErrors = [err26] : vErrors.push(err26), errors++;
        }
      }
    }
    if (data.mimeType !== void 0) {
      let data8 = data.mimeType;
      if (typeof data8 == "string") {
        if (func0(data8) > 255) {
          const err27 = { instancePath: instancePath + "/mimeType", keyword: "maxLength", params: { limit: 255 } };
          vErrors === null ? vErrors = [err27] : vErrors.push(err27), errors++;
        }
        if (func0(data8) < 3) {
          const err28 = { instancePath: instancePath + "/mimeType", keyword: "minLength", params: { limit: 3 } };
          vErrors === null ? vErrors = [err28] : vErrors.push(err28), errors++;
        }
        if (data8.length <= 510 && !pattern12.test(data8)) {
          const err29 = { instancePath: instancePath + "/mimeType", keyword: "pattern", params: { pattern: "^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}$" } };
          vErrors === null ? vErrors = [err29] : vErrors.push(err29), errors++;
        }
      } else {
        const err30 = { instancePath: instancePath + "/mimeType", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err30] : vErrors.push(err30), errors++;
      }
    }
    if (data.encryptionMetadata !== void 0) {
      let data9 = data.encryptionMetadata;
      if (data9 && typeof data9 == "object" && !Array.isArray(data9)) {
        if (data9.algorithm === void 0) {
          const err31 = { instancePath: instancePath + "/encryptionMetadata", keyword: "required", params: { missingProperty: "algorithm" } };
          vErrors === null ? vErrors = [err31] : vErrors.push(err31), errors++;
        }
        if (data9.iv === void 0) {
          const err32 = { instancePath: instancePath + "/encryptionMetadata", keyword: "required", params: { missingProperty: "iv" } };
          vErrors === null ? vErrors = [err32] : vErrors.push(err32), errors++;
        }
        if (data9.authTag === void 0) {
          const err33 = { instancePath: instancePath + "/encryptionMetadata", keyword: "required", params: { missingProperty: "authTag" } };
          vErrors === null ? vErrors = [err33] : vErrors.push(err33), errors++;
        }
        if (data9.algorithm !== void 0) {
          let data10 = data9.algorithm;
          if (typeof data10 == "string") {
            if (func0(data10) > 100) {
              const err34 = { instancePath: instancePath + "/encryptionMetadata/algorithm", keyword: "maxLength", params: { limit: 100 } };
              vErrors === null ? vErrors = [err34] : vErrors.push(err34), errors++;
            }
            if (func0(data10) < 1) {
              const err35 = { instancePath: instancePath + "/encryptionMetadata/algorithm", keyword: "minLength", params: { limit: 1 } };
              vErrors === null ? vErrors = [err35] : vErrors.push(err35), errors++;
            }
          } else {
            const err36 = { instancePath: instancePath + "/encryptionMetadata/algorithm", keyword: "type", params: { type: "string" } };
            vErrors === null ? vErrors = [err36] : vErrors.push(err36), errors++;
          }
        }
        if (data9.keyDerivation !== void 0) {
          let data11 = data9.keyDerivation;
          if (typeof data11 == "string") {
            if (func0(data11) > 100) {
              const err37 = { instancePath: instancePath + "/encryptionMetadata/keyDerivation", keyword: "maxLength", params: { limit: 100 } };
              vErrors === null ? vErrors = [err37] : vErrors.push(err37), errors++;
            }
            if (func0(data11) < 1) {
              const err38 = { instancePath: instancePath + "/encryptionMetadata/keyDerivation", keyword: "minLength", params: { limit: 1 } };
              vErrors === null ? vErrors = [err38] : vErrors.push(err38), errors++;
            }
          } else {
            const err39 = { instancePath: instancePath + "/encryptionMetadata/keyDerivation", keyword: "type", params: { type: "string" } };
            vErrors === null ? vErrors = [err39] : vErrors.push(err39), errors++;
          }
        }
        if (data9.iterations !== void 0) {
          let data12 = data9.iterations;
          if (!(typeof data12 == "number" && !(data12 % 1) && !isNaN(data12) && isFinite(data12))) {
            const err40 = { instancePath: instancePath + "/encryptionMetadata/iterations", keyword: "type", params: { type: "integer" } };
            vErrors === null ? vErrors = [err40] : vErrors.push(err40), errors++;
          }
          if (typeof data12 == "number" && isFinite(data12) && (data12 < 1 || isNaN(data12))) {
            const err41 = { instancePath: instancePath + "/encryptionMetadata/iterations", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
            vErrors === null ? vErrors = [err41] : vErrors.push(err41), errors++;
          }
        }
        if (data9.salt !== void 0) {
          let data13 = data9.salt;
          if (typeof data13 == "string") {
            if (!formats20(data13)) {
              const err42 = { instancePath: instancePath + "/encryptionMetadata/salt", keyword: "format", params: { format: "byte" } };
              vErrors === null ? vErrors = [err42] : vErrors.push(err42), errors++;
            }
          } else {
            const err43 = { instancePath: instancePath + "/encryptionMetadata/salt", keyword: "type", params: { type: "string" } };
            vErrors === null ? vErrors = [err43] : vErrors.push(err43), errors++;
          }
        }
        if (data9.keyGeneration !== void 0) {
          let data14 = data9.keyGeneration;
          if (!(typeof data14 == "number" && !(data14 % 1) && !isNaN(data14) && isFinite(data14))) {
            const err44 = { instancePath: instancePath + "/encryptionMetadata/keyGeneration", keyword: "type", params: { type: "integer" } };
            vErrors === null ? vErrors = [err44] : vErrors.push(err44), errors++;
          }
          if (typeof data14 == "number" && isFinite(data14) && (data14 < 1 || isNaN(data14))) {
            const err45 = { instancePath: instancePath + "/encryptionMetadata/keyGeneration", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
            vErrors === null ? vErrors = [err45] : vErrors.push(err45), errors++;
          }
        }
        if (data9.wrappedKey !== void 0) {
          let data15 = data9.wrappedKey;
          if (typeof data15 == "string") {
            if (!formats20(data15)) {
              const err46 = { instancePath: instancePath + "/encryptionMetadata/wrappedKey", keyword: "format", params: { format: "byte" } };
              vErrors === null ? vErrors = [err46] : vErrors.push(err46), errors++;
            }
          } else {
            const err47 = { instancePath: instancePath + "/encryptionMetadata/wrappedKey", keyword: "type", params: { type: "string" } };
            vErrors === null ? vErrors = [err47] : vErrors.push(err47), errors++;
          }
        }
        if (data9.iv !== void 0) {
          let data16 = data9.iv;
          if (typeof data16 == "string") {
            if (func0(data16) < 4) {
              const err48 = { instancePath: instancePath + "/encryptionMetadata/iv", keyword: "minLength", params: { limit: 4 } };
              vErrors === null ? vErrors = [err48] : vErrors.push(err48), errors++;
            }
            if (!formats20(data16)) {
              const err49 = { instancePath: instancePath + "/encryptionMetadata/iv", keyword: "format", params: { format: "byte" } };
              vErrors === null ? vErrors = [err49] : vErrors.push(err49), errors++;
            }
          } else {
            const err50 = { instancePath: instancePath + "/encryptionMetadata/iv", keyword: "type", params: { type: "string" } };
            vErrors === null ? vErrors = [err50] : vErrors.push(err50), errors++;
          }
        }
        if (data9.authTag !== void 0) {
          let data17 = data9.authTag;
          if (typeof data17 == "string") {
            if (func0(data17) < 4) {
              const err51 = { instancePath: instancePath + "/encryptionMetadata/authTag", keyword: "minLength", params: { limit: 4 } };
              vErrors === null ? vErrors = [err51] : vErrors.push(err51), errors++;
            }
            if (!formats20(data17)) {
              const err52 = { instancePath: instancePath + "/encryptionMetadata/authTag", keyword: "format", params: { format: "byte" } };
              vErrors === null ? vErrors = [err52] : vErrors.push(err52), errors++;
            }
          } else {
            const err53 = { instancePath: instancePath + "/encryptionMetadata/authTag", keyword: "type", params: { type: "string" } };
            vErrors === null ? vErrors = [err53] : vErrors.push(err53), errors++;
          }
        }
        if (func54(data9) > 16384) {
          const err54 = { instancePath: instancePath + "/encryptionMetadata", keyword: "x-max-bytes", params: { limit: 16384 } };
          vErrors === null ? vErrors = [err54] : vErrors.push(err54), errors++;
        }
      } else {
        const err55 = { instancePath: instancePath + "/encryptionMetadata", keyword: "type", params: { type: "object" } };
        vErrors === null ? vErrors = [err55] : vErrors.push(err55), errors++;
      }
    }
    for (const key3 in data)
      if (!(key3 === "id" || key3 === "vaultId" || key3 === "fileName" || key3 === "encryptedData" || key3 === "uploadId" || key3 === "sizeBytes" || key3 === "mimeType" || key3 === "encryptionMetadata")) {
        const err56 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key3, known: "id,vaultId,fileName,encryptedData,uploadId,sizeBytes,mimeType,encryptionMetadata" } };
        vErrors === null ? vErrors = [err56] : vErrors.push(err56), errors++;
      }
  } else {
    const err57 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err57] : vErrors.push(err57), errors++;
  }
  return validate21.errors = vErrors, errors === 0;
}
validate21.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
function validate20(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate20.evaluated;
  return evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), validate21(data, { instancePath, parentData, parentDataProperty, rootData, dynamicAnchors }) || (vErrors = vErrors === null ? validate21.errors : vErrors.concat(validate21.errors), errors = vErrors.length), validate20.errors = vErrors, errors === 0;
}
validate20.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const updateDocument = validate23;
function validate24(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate24.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (Object.keys(data).length < 1) {
      const err0 = { instancePath, keyword: "minProperties", params: { limit: 1 } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.fileName !== void 0) {
      let data0 = data.fileName;
      if (typeof data0 == "string") {
        if (func0(data0) > 255) {
          const err1 = { instancePath: instancePath + "/fileName", keyword: "maxLength", params: { limit: 255 } };
          vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
        }
        if (func0(data0) < 1) {
          const err2 = { instancePath: instancePath + "/fileName", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
        }
        if (data0.length <= 510 && !formats22(data0)) {
          const err3 = { instancePath: instancePath + "/fileName", keyword: "format", params: { format: "file-name" } };
          vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
        }
      } else {
        const err4 = { instancePath: instancePath + "/fileName", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    if (data.mimeType !== void 0) {
      let data1 = data.mimeType;
      if (typeof data1 == "string") {
        if (func0(data1) > 255) {
          const err5 = { instancePath: instancePath + "/mimeType", keyword: "maxLength", params: { limit: 255 } };
          vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
        }
        if (func0(data1) < 3) {
          const err6 = { instancePath: instancePath + "/mimeType", keyword: "minLength", params: { limit: 3 } };
          vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
        }
        if (data1.length <= 510 && !pattern12.test(data1)) {
          const err7 = { instancePath: instancePath + "/mimeType", keyword: "pattern", params: { pattern: "^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}$" } };
          vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
        }
      } else {
        const err8 = { instancePath: instancePath + "/mimeType", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
      }
    }
    if (data.vaultId !== void 0) {
      let data2 = data.vaultId;
      if (typeof data2 == "string") {
        if (data2 = data.vaultId = data2.toLowerCase(), func0(data2) > 255) {
          const err9 = { instancePath: instancePath + "/vaultId", keyword: "maxLength", params: { limit: 255 } };
          vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
        }
        if (func0(data2) < 1) {
          const err10 = { instancePath: instancePath + "/vaultId", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
        }
      } else {
        const err11 = { instancePath: instancePath + "/vaultId", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
      }
    }
    if (data.encryptionMetadata !== void 0) {
      let data3 = data.encryptionMetadata;
      if (data3 && typeof data3 == "object" && !Array.isArray(data3)) {
        if (data3.wrappedKey === void 0) {
          const err12 = { instancePath: instancePath + "/encryptionMetadata", keyword: "required", params: { missingProperty: "wrappedKey" } };
          vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
        }
        if (data3.keyDerivation !== void 0) {
          let data4 = data3.keyDerivation;
          if (typeof data4 == "string") {
            if (func0(data4) > 100) {
              const err13 = { instancePath: instancePath + "/encryptionMetadata/keyDerivation", keyword: "maxLength", params: { limit: 100 } };
              vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
            }
            if (func0(data4) < 1) {
              const err14 = { instancePath: instancePath + "/encryptionMetadata/keyDerivation", keyword: "minLength", params: { limit: 1 } };
              vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
            }
          } else {
            const err15 = { instancePath: instancePath + "/encryptionMetadata/keyDerivation", keyword: "type", params: { type: "string" } };
            vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
          }
        }
        if (data3.iterations !== void 0) {
          let data5 = data3.iterations;
          if (!(typeof data5 == "number" && !(data5 % 1) && !isNaN(data5) && isFinite(data5))) {
            const err16 = { instancePath: instancePath + "/encryptionMetadata/iterations", keyword: "type", params: { type: "integer" } };
            vErrors === null ? vErrors = [err16] : vErrors.push(err16), errors++;
          }
          if (typeof data5 == "number" && isFinite(data5) && (data5 < 1 || isNaN(data5))) {
            const err17 = { instancePath: instancePath + "/encryptionMetadata/iterations", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
            vErrors === null ? vErrors = [err17] : vErrors.push(err17), errors++;
          }
        }
        if (data3.salt !== void 0) {
          let data6 = data3.salt;
          if (typeof data6 == "string") {
            if (!formats20(data6)) {
              const err18 = { instancePath: instancePath + "/encryptionMetadata/salt", keyword: "format", params: { format: "byte" } };
              vErrors === null ? vErrors = [err18] : vErrors.push(err18), errors++;
            }
          } else {
            const err19 = { instancePath: instancePath + "/encryptionMetadata/salt", keyword: "type", params: { type: "string" } };
            vErrors === null ? vErrors = [err19] : vErrors.push(err19), errors++;
          }
        }
        if (data3.keyGeneration !== void 0) {
          let data7 = data3.keyGeneration;
          if (!(typeof data7 == "number" && !(data7 % 1) && !isNaN(data7) && isFinite(data7))) {
            const err20 = { instancePath: instancePath + "/encryptionMetadata/keyGeneration", keyword: "type", params: { type: "integer" } };
            vErrors === null ? vErrors = [err20] : vErrors.push(err20), errors++;
          }
          if (typeof data7 == "number" && isFinite(data7) && (data7 < 1 || isNaN(data7))) {
            const err21 = { instancePath: instancePath + "/encryptionMetadata/keyGeneration", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
            vErrors === null ? vErrors = [err21] : vErrors.push(err21), errors++;
          }
        }
        if (data3.wrappedKey !== void 0) {
          let data8 = data3.wrappedKey;
          if (typeof data8 == "string") {
            if (func0(data8) < 4) {
              const err22 = { instancePath: instancePath + "/encryptionMetadata/wrappedKey", keyword: "minLength", params: { limit: 4 } };
              vErrors === null ? vErrors = [err22] : vErrors.push(err22), errors++;
            }
            if (!formats20(data8)) {
              const err23 = { instancePath: instancePath + "/encryptionMetadata/wrappedKey", keyword: "format", params: { format: "byte" } };
              vErrors === null ? vErrors = [err23] : vErrors.push(err23), errors++;
            }
          } else {
            const err24 = { instancePath: instancePath + "/encryptionMetadata/wrappedKey", keyword: "type", params: { type: "string" } };
            vErrors === null ? vErrors = [err24] : vErrors.push(err24), errors++;
          }
        }
        if (data3.keyDerivation !== void 0 && data3.iterations === void 0) {
          const err25 = { instancePath: instancePath + "/encryptionMetadata", keyword: "dependentRequired", params: {
            property: "keyDerivation",
            missingProperty: "iterations",
            depsCount: 1,
            deps: "iterations"
          } };
          vErrors === null ? vErrors = [err25] : vErrors.push(err25), errors++;
        }
        if (data3.iterations !== void 0 && data3.keyDerivation === void 0) {
          const err26 = { instancePath: instancePath + "/encryptionMetadata", keyword: "dependentRequired", params: {
            property: "iterations",
            missingProperty: "keyDerivation",
            depsCount: 1,
            deps: "keyDerivation"
          } };
          vErrors === null ? vErrors = [err26] : vErrors.push(err26), errors++;
        }
        if (data3.salt !== void 0) {
          if (data3.keyDerivation === void 0) {
            const err27 = { instancePath: instancePath + "/encryptionMetadata", keyword: "dependentRequired", params: {
              property: "salt",
              missingProperty: "keyDerivation",
              depsCount: 2,
              deps: "keyDerivation, iterations"
            } };
            vErrors === null ? vErrors = [err27] : vErrors.push(err27), errors++;
          }
          if (data3.iterations === void 0) {
            const err28 = { instancePath: instancePath + "/encryptionMetadata", keyword: "dependentRequired", params: {
              property: "salt",
              missingProperty: "iterations",
              depsCount: 2,
              deps: "keyDerivation, iterations"
            } };
            vErrors === null ? vErrors = [err28] : vErrors.push(err28), errors++;
          }
        }
        if (data3.keyGeneration !== void 0) {
          if (data3.keyDerivation === void 0) {
            const err29 = { instancePath: instancePath + "/encryptionMetadata", keyword: "dependentRequired", params: {
              property: "keyGeneration",
              missingProperty: "keyDerivation",
              depsCount: 2,
              deps: "keyDerivation, iterations"
            } };
            vErrors === null ? vErrors = [err29] : vErrors.push(err29), errors++;
          }
          if (data3.iterations === void 0) {
            const err30 = { instancePath: instancePath + "/encryptionMetadata", keyword: "dependentRequired", params: {
              property: "keyGeneration",
              missingProperty: "iterations",
              depsCount: 2,
              deps: "keyDerivation, iterations"
            } };
            vErrors === null ? vErrors = [err30] : vErrors.push(err30), errors++;
          }
        }
        for (const key0 in data3)
          if (!(key0 === "keyDerivation" || key0 === "iterations" || key0 === "salt" || key0 === "keyGeneration" || key0 === "wrappedKey")) {
            const err31 = { instancePath: instancePath + "/encryptionMetadata", keyword: "additionalProperties", params: { additionalProperty: key0, known: "keyDerivation,iterations,salt,keyGeneration,wrappedKey" } };
            vErrors === null ? vErrors = [err31] : vErrors.push(err31), errors++;
          }
        if (func54(data3) > 16384) {
          const err32 = { instancePath: instancePath + "/encryptionMetadata", keyword: "x-max-bytes", params: { limit: 16384 } };
          vErrors === null ? vErrors = [err32] : vErrors.push(err32), errors++;
        }
      } else {
        const err33 = { instancePath: instancePath + "/encryptionMetadata", keyword: "type", params: { type: "object" } };
        vErrors === null ? vErrors = [err33] : vErrors.push(err33), errors++;
      }
    }
    for (const key1 in data)
      if (!(key1 === "fileName" || key1 === "mimeType" || key1 === "vaultId" || key1 === "encryptionMetadata")) {
        const err34 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key1, known: "fileName,mimeType,vaultId,encryptionMetadata" } };
        vErrors === null ? vErrors = [err34] : vErrors.push(err34), errors++;
      }
  } else {
    const err35 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err35] : vErrors.push(err35), errors++;
  }
  return validate24.errors = vErrors, errors === 0;
}
validate24.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
function validate23(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate23.evaluated;
  return evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), validate24(data, { instancePath, parentData, parentDataProperty, rootData, dynamicAnchors }) || (vErrors = vErrors === null ? validate24.errors : vErrors.concat(validate24.errors), errors = vErrors.length), validate23.errors = vErrors, errors === 0;
}
validate23.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const shareDocument = validate26;
const schema36 = { type: "object", additionalProperties: !1, properties: { permissions: { type: "array", minItems: 1, maxItems: 10, uniqueItems: !0, items: { type: "string", $ref: "#/components/schemas/SharePermission" }, default: ["read"] }, expiresAt: { type: "string", format: "date-time" }, maxAccessCount: { type: ["integer", "null"], minimum: 1, maximum: 1e6, default: null }, access: { $ref: "#/components/schemas/ShareAccessMode", default: "authenticated" } } }, schema37 = { type: "string", enum: ["read"] }, schema38 = { type: "string", enum: ["authenticated", "anyone"] };
function validate27(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate27.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    data.permissions === void 0 && (data.permissions = ["read"]), data.maxAccessCount === void 0 && (data.maxAccessCount = null), data.access === void 0 && (data.access = "authenticated");
    let data0 = data.permissions;
    if (Array.isArray(data0)) {
      if (data0.length > 10) {
        const err0 = { instancePath: instancePath + "/permissions", keyword: "maxItems", params: { limit: 10 } };
        vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
      }
      if (data0.length < 1) {
        const err1 = { instancePath: instancePath + "/permissions", keyword: "minItems", params: { limit: 1 } };
        vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
      }
      if (data0.length <= 10) {
        const len0 = data0.length;
        for (let i0 = 0; i0 < len0; i0++) {
          let data1 = data0[i0];
          if (typeof data1 != "string") {
            const err2 = { instancePath: instancePath + "/permissions/" + i0, keyword: "type", params: { type: "string" } };
            vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
          }
          if (typeof data1 != "string") {
            const err3 = { instancePath: instancePath + "/permissions/" + i0, keyword: "type", params: { type: "string" } };
            vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
          }
          if (data1 !== "read") {
            const err4 = { instancePath: instancePath + "/permissions/" + i0, keyword: "enum", params: { allowedValues: schema37.enum } };
            vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
          }
        }
      }
      if (data0.length <= 10) {
        let i1 = data0.length, j0;
        if (i1 > 1) {
          const indices0 = {};
          for (; i1--; ) {
            let item0 = data0[i1];
            if (typeof item0 == "string") {
              if (typeof indices0[item0] == "number") {
                j0 = indices0[item0];
                const err5 = { instancePath: instancePath + "/permissions", keyword: "uniqueItems", params: { i: i1, j: j0 } };
                vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
                break;
              }
              indices0[item0] = i1;
            }
          }
        }
      }
    } else {
      const err6 = { instancePath: instancePath + "/permissions", keyword: "type", params: { type: "array" } };
      vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
    }
    if (data.expiresAt !== void 0) {
      let data2 = data.expiresAt;
      if (typeof data2 == "string") {
        if (!formats6(data2)) {
          const err7 = { instancePath: instancePath + "/expiresAt", keyword: "format", params: { format: "date-time" } };
          vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
        }
      } else {
        const err8 = { instancePath: instancePath + "/expiresAt", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
      }
    }
    let data3 = data.maxAccessCount;
    if (!(typeof data3 == "number" && !(data3 % 1) && !isNaN(data3) && isFinite(data3)) && data3 !== null) {
      const err9 = { instancePath: instancePath + "/maxAccessCount", keyword: "type", params: { type: schema36.properties.maxAccessCount.type } };
      vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
    }
    if (typeof data3 == "number" && isFinite(data3)) {
      if (data3 > 1e6 || isNaN(data3)) {
        const err10 = { instancePath: instancePath + "/maxAccessCount", keyword: "maximum", params: { comparison: "<=", limit: 1e6 } };
        vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
      }
      if (data3 < 1 || isNaN(data3)) {
        const err11 = { instancePath: instancePath + "/maxAccessCount", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
        vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
      }
    }
    let data4 = data.access;
    if (typeof data4 != "string") {
      const err12 = { instancePath: instancePath + "/access", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
    }
    if (!(data4 === "authenticated" || data4 === "anyone")) {
      const err13 = { instancePath: instancePath + "/access", keyword: "enum", params: { allowedValues: schema38.enum } };
      vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
    }
    for (const key0 in data)
      if (!(key0 === "permissions" || key0 === "expiresAt" || key0 === "maxAccessCount" || key0 === "access")) {
        const err14 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key0, known: "permissions,expiresAt,maxAccessCount,access" } };
        vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
      }
  } else {
    const err15 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
  }
  return validate27.errors = vErrors, errors === 0;
}
validate27.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
function validate26(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate26.evaluated;
  return evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), validate27(data, { instancePath, parentData, parentDataProperty, rootData, dynamicAnchors }) || (vErrors = vErrors === null ? validate27.errors : vErrors.concat(validate27.errors), errors = vErrors.length), validate26.errors = vErrors, errors === 0;
}
validate26.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const createUpload = validate29;
function validate29(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate29.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.vaultId === void 0) {
      const err0 = { instancePath, keyword: "required", params: { missingProperty: "vaultId" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.sizeBytes === void 0) {
      const err1 = { instancePath, keyword: "required", params: { missingProperty: "sizeBytes" } };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
    if (data.id !== void 0) {
      let data0 = data.id;
      if (typeof data0 == "string") {
        if (data0 = data.id = data0.toLowerCase(), !pattern11.test(data0)) {
          const err2 = { instancePath: instancePath + "/id", keyword: "pattern", params: { pattern: "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-7[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$" } };
          vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
        }
      } else {
        const err3 = { instancePath: instancePath + "/id", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
      }
    }
    if (data.vaultId !== void 0) {
      let data1 = data.vaultId;
      if (typeof data1 == "string") {
        if (data1 = data.vaultId = data1.toLowerCase(), func0(data1) > 255) {
          const err4 = { instancePath: instancePath + "/vaultId", keyword: "maxLength", params: { limit: 255 } };
          vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
        }
        if (func0(data1) < 1) {
          const err5 = { instancePath: instancePath + "/vaultId", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
        }
      } else {
        const err6 = { instancePath: instancePath + "/vaultId", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
      }
    }
    if (data.sizeBytes !== void 0) {
      let data2 = data.sizeBytes;
      if (!(typeof data2 == "number" && !(data2 % 1) && !isNaN(data2) && isFinite(data2))) {
        const err7 = { instancePath: instancePath + "/sizeBytes", keyword: "type", params: { type: "integer" } };
        vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
      }
      if (typeof data2 == "number" && isFinite(data2)) {
        if (data2 < 1 || isNaN(data2)) {
          const err8 = { instancePath: instancePath + "/sizeBytes", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
          vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
        }
        if (!formats26.validate(data2)) {
          const err9 = { instancePath: instancePath + "/sizeBytes", keyword: "format", params: { format: "int64" } };
          vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
        }
      }
    }
    for (const key0 in data)
      if (!(key0 === "id" || key0 === "vaultId" || key0 === "sizeBytes")) {
        const err10 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key0, known: "id,vaultId,sizeBytes" } };
        vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
      }
  } else {
    const err11 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
  }
  return validate29.errors = vErrors, errors === 0;
}
validate29.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const createInstance = validate30;
const pattern15 = new RegExp("^[a-z0-9-]+$", "u");
function validate30(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate30.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.region === void 0 && (data.region = "default"), data.name === void 0) {
      const err0 = { instancePath, keyword: "required", params: { missingProperty: "name" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.name !== void 0) {
      let data0 = data.name;
      if (typeof data0 == "string") {
        if (data0 = data.name = data0.trim(), func0(data0) > 120) {
          const err1 = { instancePath: instancePath + "/name", keyword: "maxLength", params: { limit: 120 } };
          vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
        }
        if (func0(data0) < 1) {
          const err2 = { instancePath: instancePath + "/name", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
        }
        if (data0.length <= 240 && !formats2(data0)) {
          const err3 = { instancePath: instancePath + "/name", keyword: "format", params: { format: "name" } };
          vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
        }
      } else {
        const err4 = { instancePath: instancePath + "/name", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    let data1 = data.region;
    if (typeof data1 == "string") {
      if (func0(data1) > 64) {
        const err5 = { instancePath: instancePath + "/region", keyword: "maxLength", params: { limit: 64 } };
        vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
      }
      if (func0(data1) < 1) {
        const err6 = { instancePath: instancePath + "/region", keyword: "minLength", params: { limit: 1 } };
        vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
      }
      if (data1.length <= 128 && !pattern15.test(data1)) {
        const err7 = { instancePath: instancePath + "/region", keyword: "pattern", params: { pattern: "^[a-z0-9-]+$" } };
        vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
      }
    } else {
      const err8 = { instancePath: instancePath + "/region", keyword: "type", params: { type: "string" } };
      vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
    }
    if (data.quotaBytes !== void 0) {
      let data2 = data.quotaBytes;
      if (!(typeof data2 == "number" && !(data2 % 1) && !isNaN(data2) && isFinite(data2))) {
        const err9 = { instancePath: instancePath + "/quotaBytes", keyword: "type", params: { type: "integer" } };
        vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
      }
      if (typeof data2 == "number" && isFinite(data2)) {
        if (data2 > 9007199254740991 || isNaN(data2)) {
          const err10 = { instancePath: instancePath + "/quotaBytes", keyword: "maximum", params: { comparison: "<=", limit: 9007199254740991 } };
          vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
        }
        if (data2 < 1 || isNaN(data2)) {
          const err11 = { instancePath: instancePath + "/quotaBytes", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
          vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
        }
        if (!formats26.validate(data2)) {
          const err12 = { instancePath: instancePath + "/quotaBytes", keyword: "format", params: { format: "int64" } };
          vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
        }
      }
    }
    for (const key0 in data)
      if (!(key0 === "name" || key0 === "region" || key0 === "quotaBytes")) {
        const err13 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key0, known: "name,region,quotaBytes" } };
        vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
      }
  } else {
    const err14 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
  }
  return validate30.errors = vErrors, errors === 0;
}
validate30.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const updateInstance = validate31;
function validate31(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate31.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (Object.keys(data).length < 1) {
      const err0 = { instancePath, keyword: "minProperties", params: { limit: 1 } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.name !== void 0) {
      let data0 = data.name;
      if (typeof data0 == "string") {
        if (data0 = data.name = data0.trim(), func0(data0) > 120) {
          const err1 = { instancePath: instancePath + "/name", keyword: "maxLength", params: { limit: 120 } };
          vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
        }
        if (func0(data0) < 1) {
          const err2 = { instancePath: instancePath + "/name", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
        }
        if (data0.length <= 240 && !formats2(data0)) {
          const err3 = { instancePath: instancePath + "/name", keyword: "format", params: { format: "name" } };
          vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
        }
      } else {
        const err4 = { instancePath: instancePath + "/name", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    if (data.region !== void 0) {
      let data1 = data.region;
      if (typeof data1 == "string") {
        if (func0(data1) > 64) {
          const err5 = { instancePath: instancePath + "/region", keyword: "maxLength", params: { limit: 64 } };
          vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
        }
        if (func0(data1) < 1) {
          const err6 = { instancePath: instancePath + "/region", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
        }
        if (data1.length <= 128 && !pattern15.test(data1)) {
          const err7 = { instancePath: instancePath + "/region", keyword: "pattern", params: { pattern: "^[a-z0-9-]+$" } };
          vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
        }
      } else {
        const err8 = { instancePath: instancePath + "/region", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
      }
    }
    if (data.quotaBytes !== void 0) {
      let data2 = data.quotaBytes;
      if (!(typeof data2 == "number" && !(data2 % 1) && !isNaN(data2) && isFinite(data2))) {
        const err9 = { instancePath: instancePath + "/quotaBytes", keyword: "type", params: { type: "integer" } };
        vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
      }
      if (typeof data2 == "number" && isFinite(data2)) {
        if (data2 > 9007199254740991 || isNaN(data2)) {
          const err10 = { instancePath: instancePath + "/quotaBytes", keyword: "maximum", params: { comparison: "<=", limit: 9007199254740991 } };
          vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
        }
        if (data2 < 1 || isNaN(data2)) {
          const err11 = { instancePath: instancePath + "/quotaBytes", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
          vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
        }
        if (!formats26.validate(data2)) {
          const err12 = { instancePath: instancePath + "/quotaBytes", keyword: "format", params: { format: "int64" } };
          vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
        }
      }
    }
    if (data.isActive !== void 0 && typeof data.isActive != "boolean") {
      const err13 = { instancePath: instancePath + "/isActive", keyword: "type", params: { type: "boolean" } };
      vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
    }
    for (const key0 in data)
      if (!(key0 === "name" || key0 === "region" || key0 === "quotaBytes" || key0 === "isActive")) {
        const err14 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key0, known: "name,region,quotaBytes,isActive" } };
        vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
      }
  } else {
    const err15 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
  }
  return validate31.errors = vErrors, errors === 0;
}
validate31.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const updateCurrentUser = validate32;
function validate32(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate32.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (Object.keys(data).length < 1) {
      const err0 = { instancePath, keyword: "minProperties", params: { limit: 1 } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.name !== void 0) {
      let data0 = data.name;
      if (typeof data0 == "string") {
        if (data0 = data.name = data0.trim(), func0(data0) > 120) {
          const err1 = { instancePath: instancePath + "/name", keyword: "maxLength", params: { limit: 120 } };
          vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
        }
        if (func0(data0) < 1) {
          const err2 = { instancePath: instancePath + "/name", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
        }
        if (data0.length <= 240 && !formats2(data0)) {
          const err3 = { instancePath: instancePath + "/name", keyword: "format", params: { format: "name" } };
          vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
        }
      } else {
        const err4 = { instancePath: instancePath + "/name", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    if (data.email !== void 0) {
      let data1 = data.email;
      if (typeof data1 == "string") {
        if (func0(data1) > 254) {
          const err5 = { instancePath: instancePath + "/email", keyword: "maxLength", params: { limit: 254 } };
          vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
        }
        if (data1.length <= 508 && !formats0.test(data1)) {
          const err6 = { instancePath: instancePath + "/email", keyword: "format", params: { format: "email" } };
          vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
        }
      } else {
        const err7 = { instancePath: instancePath + "/email", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
      }
    }
    if (data.password !== void 0) {
      let data2 = data.password;
      if (typeof data2 == "string") {
        if (func0(data2) > 1024) {
          const err8 = { instancePath: instancePath + "/password", keyword: "maxLength", params: { limit: 1024 } };
          vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
        }
        if (func0(data2) < 12) {
          const err9 = { instancePath: instancePath + "/password", keyword: "minLength", params: { limit: 12 } };
          vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
        }
      } else {
        const err10 = { instancePath: instancePath + "/password", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
      }
    }
    if (data.currentPassword !== void 0) {
      let data3 = data.currentPassword;
      if (typeof data3 == "string") {
        if (func0(data3) > 1024) {
          const err11 = { instancePath: instancePath + "/currentPassword", keyword: "maxLength", params: { limit: 1024 } };
          vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
        }
        if (func0(data3) < 1) {
          const err12 = { instancePath: instancePath + "/currentPassword", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
        }
      } else {
        const err13 = { instancePath: instancePath + "/currentPassword", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
      }
    }
    if (data.revokeApiKeys !== void 0 && typeof data.revokeApiKeys != "boolean") {
      const err14 = { instancePath: instancePath + "/revokeApiKeys", keyword: "type", params: { type: "boolean" } };
      vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
    }
    if (data.email !== void 0 && data.currentPassword === void 0) {
      const err15 = { instancePath, keyword: "dependentRequired", params: {
        property: "email",
        missingProperty: "currentPassword",
        depsCount: 1,
        deps: "currentPassword"
      } };
      vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
    }
    if (data.password !== void 0 && data.currentPassword === void 0) {
      const err16 = { instancePath, keyword: "dependentRequired", params: {
        property: "password",
        missingProperty: "currentPassword",
        depsCount: 1,
        deps: "currentPassword"
      } };
      vErrors === null ? vErrors = [err16] : vErrors.push(err16), errors++;
    }
    if (data.revokeApiKeys !== void 0 && data.password === void 0) {
      const err17 = { instancePath, keyword: "dependentRequired", params: {
        property: "revokeApiKeys",
        missingProperty: "password",
        depsCount: 1,
        deps: "password"
      } };
      vErrors === null ? vErrors = [err17] : vErrors.push(err17), errors++;
    }
    for (const key0 in data)
      if (!(key0 === "name" || key0 === "email" || key0 === "password" || key0 === "currentPassword" || key0 === "revokeApiKeys")) {
        const err18 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key0, known: "name,email,password,currentPassword,revokeApiKeys" } };
        vErrors === null ? vErrors = [err18] : vErrors.push(err18), errors++;
      }
  } else {
    const err19 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err19] : vErrors.push(err19), errors++;
  }
  return validate32.errors = vErrors, errors === 0;
}
validate32.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const deleteCurrentUser = validate33;
function validate33(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate33.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.password === void 0) {
      const err0 = { instancePath, keyword: "required", params: { missingProperty: "password" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.password !== void 0) {
      let data0 = data.password;
      if (typeof data0 == "string") {
        if (func0(data0) > 1024) {
          const err1 = { instancePath: instancePath + "/password", keyword: "maxLength", params: { limit: 1024 } };
          vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
        }
        if (func0(data0) < 1) {
          const err2 = { instancePath: instancePath + "/password", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
        }
      } else {
        const err3 = { instancePath: instancePath + "/password", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
      }
    }
    for (const key0 in data)
      if (key0 !== "password") {
        const err4 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key0, known: "password" } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
  } else {
    const err5 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
  }
  return validate33.errors = vErrors, errors === 0;
}
validate33.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const updateKeyring = validate34;
const schema51 = { type: "object", required: ["id", "type", "label", "createdAt", "wrappedKey"], additionalProperties: !1, properties: { id: { type: "string", maxLength: 36, pattern: "^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$" }, type: { type: "string", enum: ["passphrase", "recoveryKey", "passkey"] }, label: { type: "string", minLength: 1, maxLength: 60, format: "name" }, createdAt: { type: "string", format: "date-time" }, wrappedKey: { type: "string", maxLength: 80, pattern: "^[A-Za-z0-9+/]{80}$" }, kdf: { type: "string", enum: ["PBKDF2-SHA256"] }, iterations: { type: "integer", minimum: 6e5, maximum: 1e7 }, salt: { type: "string", maxLength: 24, pattern: "^[A-Za-z0-9+/]{21}[AQgw]==$" }, credentialId: { type: "string", format: "byte", minLength: 4, maxLength: 1364 } } }, pattern17 = new RegExp("^B[A-P][A-Za-z0-9+/]{84}[AEIMQUYcgkosw048]=$", "u"), pattern18 = new RegExp("^[A-Za-z0-9+/]{221}[AQgw]==$", "u"), pattern19 = new RegExp("^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$", "u"), pattern20 = new RegExp("^[A-Za-z0-9+/]{80}$", "u"), pattern21 = new RegExp("^[A-Za-z0-9+/]{21}[AQgw]==$", "u");
function validate35(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate35.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.version === void 0) {
      const err0 = { instancePath, keyword: "required", params: { missingProperty: "version" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.publicKey === void 0) {
      const err1 = { instancePath, keyword: "required", params: { missingProperty: "publicKey" } };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
    if (data.privateKey === void 0) {
      const err2 = { instancePath, keyword: "required", params: { missingProperty: "privateKey" } };
      vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
    }
    if (data.unlockers === void 0) {
      const err3 = { instancePath, keyword: "required", params: { missingProperty: "unlockers" } };
      vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
    }
    if (data.version !== void 0) {
      let data0 = data.version;
      if (!(typeof data0 == "number" && !(data0 % 1) && !isNaN(data0) && isFinite(data0))) {
        const err4 = { instancePath: instancePath + "/version", keyword: "type", params: { type: "integer" } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
      if (typeof data0 == "number" && isFinite(data0)) {
        if (data0 > 9007199254740991 || isNaN(data0)) {
          const err5 = { instancePath: instancePath + "/version", keyword: "maximum", params: { comparison: "<=", limit: 9007199254740991 } };
          vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
        }
        if (data0 < 1 || isNaN(data0)) {
          const err6 = { instancePath: instancePath + "/version", keyword: "minimum", params: { comparison: ">=", limit: 1 } };
          vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
        }
      }
    }
    if (data.publicKey !== void 0) {
      let data1 = data.publicKey;
      if (typeof data1 == "string") {
        if (func0(data1) > 88) {
          const err7 = { instancePath: instancePath + "/publicKey", keyword: "maxLength", params: { limit: 88 } };
          vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
        }
        if (data1.length <= 176 && !pattern17.test(data1)) {
          const err8 = { instancePath: instancePath + "/publicKey", keyword: "pattern", params: { pattern: "^B[A-P][A-Za-z0-9+/]{84}[AEIMQUYcgkosw048]=$" } };
          vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
        }
      } else {
        const err9 = { instancePath: instancePath + "/publicKey", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
      }
    }
    if (data.privateKey !== void 0) {
      let data2 = data.privateKey;
      if (typeof data2 == "string") {
        if (func0(data2) > 224) {
          const err10 = { instancePath: instancePath + "/privateKey", keyword: "maxLength", params: { limit: 224 } };
          vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
        }
        if (data2.length <= 448 && !pattern18.test(data2)) {
          const err11 = { instancePath: instancePath + "/privateKey", keyword: "pattern", params: { pattern: "^[A-Za-z0-9+/]{221}[AQgw]==$" } };
          vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
        }
      } else {
        const err12 = { instancePath: instancePath + "/privateKey", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
      }
    }
    if (data.unlockers !== void 0) {
      let data3 = data.unlockers;
      if (Array.isArray(data3)) {
        if (data3.length > 20) {
          const err13 = { instancePath: instancePath + "/unlockers", keyword: "maxItems", params: { limit: 20 } };
          vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
        }
        if (data3.length < 1) {
          const err14 = { instancePath: instancePath + "/unlockers", keyword: "minItems", params: { limit: 1 } };
          vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
        }
        if (data3.length <= 20) {
          const len0 = data3.length;
          for (let i0 = 0; i0 < len0; i0++) {
            let data4 = data3[i0];
            if (data4 && typeof data4 == "object" && !Array.isArray(data4)) {
              if (data4.id === void 0) {
                const err15 = { instancePath: instancePath + "/unlockers/" + i0, keyword: "required", params: { missingProperty: "id" } };
                vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
              }
              if (data4.type === void 0) {
                const err16 = { instancePath: instancePath + "/unlockers/" + i0, keyword: "required", params: { missingProperty: "type" } };
                vErrors === null ? vErrors = [err16] : vErrors.push(err16), errors++;
              }
              if (data4.label === void 0) {
                const err17 = { instancePath: instancePath + "/unlockers/" + i0, keyword: "required", params: { missingProperty: "label" } };
                vErrors === null ? vErrors = [err17] : vErrors.push(err17), errors++;
              }
              if (data4.createdAt === void 0) {
                const err18 = { instancePath: instancePath + "/unlockers/" + i0, keyword: "required", params: { missingProperty: "createdAt" } };
                vErrors === null ? vErrors = [err18] : vErrors.push(err18), errors++;
              }
              if (data4.wrappedKey === void 0) {
                const err19 = { instancePath: instancePath + "/unlockers/" + i0, keyword: "required", params: { missingProperty: "wrappedKey" } };
                vErrors === null ? vErrors = [err19] : vErrors.push(err19), errors++;
              }
              if (data4.id !== void 0) {
                let data5 = data4.id;
                if (typeof data5 == "string") {
                  if (func0(data5) > 36) {
                    const err20 = { instancePath: instancePath + "/unlockers/" + i0 + "/id", keyword: "maxLength", params: { limit: 36 } };
                    vErrors === null ? vErrors = [err20] : vErrors.push(err20), errors++;
                  }
                  if (data5.length <= 72 && !pattern19.test(data5)) {
                    const err21 = { instancePath: instancePath + "/unlockers/" + i0 + "/id", keyword: "pattern", params: { pattern: "^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$" } };
                    vErrors === null ? vErrors = [err21] : vErrors.push(err21), errors++;
                  }
                } else {
                  const err22 = { instancePath: instancePath + "/unlockers/" + i0 + "/id", keyword: "type", params: { type: "string" } };
                  vErrors === null ? vErrors = [err22] : vErrors.push(err22), errors++;
                }
              }
              if (data4.type !== void 0) {
                let data6 = data4.type;
                if (typeof data6 != "string") {
                  const err23 = { instancePath: instancePath + "/unlockers/" + i0 + "/type", keyword: "type", params: { type: "string" } };
                  vErrors === null ? vErrors = [err23] : vErrors.push(err23), errors++;
                }
                if (!(data6 === "passphrase" || data6 === "recoveryKey" || data6 === "passkey")) {
                  const err24 = { instancePath: instancePath + "/unlockers/" + i0 + "/type", keyword: "enum", params: { allowedValues: schema51.properties.type.enum } };
                  vErrors === null ? vErrors = [err24] : vErrors.push(err24), errors++;
                }
              }
              if (data4.label !== void 0) {
                let data7 = data4.label;
                if (typeof data7 == "string") {
                  if (func0(data7) > 60) {
                    const err25 = { instancePath: instancePath + "/unlockers/" + i0 + "/label", keyword: "maxLength", params: { limit: 60 } };
                    vErrors === null ? vErrors = [err25] : vErrors.push(err25), errors++;
                  }
                  if (func0(data7) < 1) {
                    const err26 = { instancePath: instancePath + "/unlockers/" + i0 + "/label", keyword: "minLength", params: { limit: 1 } };
                    vErrors === null ? vErrors = [err26] : vErrors.push(err26), errors++;
                  }
                  if (data7.length <= 120 && !formats2(data7)) {
                    const err27 = { instancePath: instancePath + "/unlockers/" + i0 + "/label", keyword: "format", params: { format: "name" } };
                    vErrors === null ? vErrors = [err27] : vErrors.push(err27), errors++;
                  }
                } else {
                  const err28 = { instancePath: instancePath + "/unlockers/" + i0 + "/label", keyword: "type", params: { type: "string" } };
                  vErrors === null ? vErrors = [err28] : vErrors.push(err28), errors++;
                }
              }
              if (data4.createdAt !== void 0) {
                let data8 = data4.createdAt;
                if (typeof data8 == "string") {
                  if (!formats6(data8)) {
                    const err29 = { instancePath: instancePath + "/unlockers/" + i0 + "/createdAt", keyword: "format", params: { format: "date-time" } };
                    vErrors === null ? vErrors = [err29] : vErrors.push(err29), errors++;
                  }
                } else {
                  const err30 = { instancePath: instancePath + "/unlockers/" + i0 + "/createdAt", keyword: "type", params: { type: "string" } };
                  vErrors === null ? vErrors = [err30] : vErrors.push(err30), errors++;
                }
              }
              if (data4.wrappedKey !== void 0) {
                let data9 = data4.wrappedKey;
                if (typeof data9 == "string") {
                  if (func0(data9) > 80) {
                    const err31 = { instancePath: instancePath + "/unlockers/" + i0 + "/wrappedKey", keyword: "maxLength", params: { limit: 80 } };
                    vErrors === null ? vErrors = [err31] : vErrors.push(err31), errors++;
                  }
                  if (data9.length <= 160 && !pattern20.test(data9)) {
                    const err32 = { instancePath: instancePath + "/unlockers/" + i0 + "/wrappedKey", keyword: "pattern", params: { pattern: "^[A-Za-z0-9+/]{80}$" } };
                    vErrors === null ? vErrors = [err32] : vErrors.push(err32), errors++;
                  }
                } else {
                  const err33 = { instancePath: instancePath + "/unlockers/" + i0 + "/wrappedKey", keyword: "type", params: { type: "string" } };
                  vErrors === null ? vErrors = [err33] : vErrors.push(err33), errors++;
                }
              }
              if (data4.kdf !== void 0) {
                let data10 = data4.kdf;
                if (typeof data10 != "string") {
                  const err34 = { instancePath: instancePath + "/unlockers/" + i0 + "/kdf", keyword: "type", params: { type: "string" } };
                  vErrors === null ? vErrors = [err34] : vErrors.push(err34), errors++;
                }
                if (data10 !== "PBKDF2-SHA256") {
                  const err35 = { instancePath: instancePath + "/unlockers/" + i0 + "/kdf", keyword: "enum", params: { allowedValues: schema51.properties.kdf.enum } };
                  vErrors === null ? vErrors = [err35] : vErrors.push(err35), errors++;
                }
              }
              if (data4.iterations !== void 0) {
                let data11 = data4.iterations;
                if (!(typeof data11 == "number" && !(data11 % 1) && !isNaN(data11) && isFinite(data11))) {
                  const err36 = { instancePath: instancePath + "/unlockers/" + i0 + "/iterations", keyword: "type", params: { type: "integer" } };
                  vErrors === null ? vErrors = [err36] : vErrors.push(err36), errors++;
                }
                if (typeof data11 == "number" && isFinite(data11)) {
                  if (data11 > 1e7 || isNaN(data11)) {
                    const err37 = { instancePath: instancePath + "/unlockers/" + i0 + "/iterations", keyword: "maximum", params: { comparison: "<=", limit: 1e7 } };
                    vErrors === null ? vErrors = [err37] : vErrors.push(err37), errors++;
                  }
                  if (data11 < 6e5 || isNaN(data11)) {
                    const err38 = { instancePath: instancePath + "/unlockers/" + i0 + "/iterations", keyword: "minimum", params: { comparison: ">=", limit: 6e5 } };
                    vErrors === null ? vErrors = [err38] : vErrors.push(err38), errors++;
                  }
                }
              }
              if (data4.salt !== void 0) {
                let data12 = data4.salt;
                if (typeof data12 == "string") {
                  if (func0(data12) > 24) {
                    const err39 = { instancePath: instancePath + "/unlockers/" + i0 + "/salt", keyword: "maxLength", params: { limit: 24 } };
                    vErrors === null ? vErrors = [err39] : vErrors.push(err39), errors++;
                  }
                  if (data12.length <= 48 && !pattern21.test(data12)) {
                    const err40 = { instancePath: instancePath + "/unlockers/" + i0 + "/salt", keyword: "pattern", params: { pattern: "^[A-Za-z0-9+/]{21}[AQgw]==$" } };
                    vErrors === null ? vErrors = [err40] : vErrors.push(err40), errors++;
                  }
                } else {
                  const err41 = { instancePath: instancePath + "/unlockers/" + i0 + "/salt", keyword: "type", params: { type: "string" } };
                  vErrors === null ? vErrors = [err41] : vErrors.push(err41), errors++;
                }
              }
              if (data4.credentialId !== void 0) {
                let data13 = data4.credentialId;
                if (typeof data13 == "string") {
                  if (func0(data13) > 1364) {
                    const err42 = { instancePath: instancePath + "/unlockers/" + i0 + "/credentialId", keyword: "maxLength", params: { limit: 1364 } };
                    vErrors === null ? vErrors = [err42] : vErrors.push(err42), errors++;
                  }
                  if (func0(data13) < 4) {
                    const err43 = { instancePath: instancePath + "/unlockers/" + i0 + "/credentialId", keyword: "minLength", params: { limit: 4 } };
                    vErrors === null ? vErrors = [err43] : vErrors.push(err43), errors++;
                  }
                  if (data13.length <= 2728 && !formats20(data13)) {
                    const err44 = { instancePath: instancePath + "/unlockers/" + i0 + "/credentialId", keyword: "format", params: { format: "byte" } };
                    vErrors === null ? vErrors = [err44] : vErrors.push(err44), errors++;
                  }
                } else {
                  const err45 = { instancePath: instancePath + "/unlockers/" + i0 + "/credentialId", keyword: "type", params: { type: "string" } };
                  vErrors === null ? vErrors = [err45] : vErrors.push(err45), errors++;
                }
              }
              for (const key0 in data4)
                if (!func24.call(schema51.properties, key0)) {
                  const err46 = { instancePath: instancePath + "/unlockers/" + i0, keyword: "additionalProperties", params: { additionalProperty: key0, known: "id,type,label,createdAt,wrappedKey,kdf,iterations,salt,credentialId" } };
                  vErrors === null ? vErrors = [err46] : vErrors.push(err46), errors++;
                }
            } else {
              const err47 = { instancePath: instancePath + "/unlockers/" + i0, keyword: "type", params: { type: "object" } };
              vErrors === null ? vErrors = [err47] : vErrors.push(err47), errors++;
            }
          }
        }
      } else {
        const err48 = { instancePath: instancePath + "/unlockers", keyword: "type", params: { type: "array" } };
        vErrors === null ? vErrors = [err48] : vErrors.push(err48), errors++;
      }
    }
    if (data.currentPassword !== void 0) {
      let data14 = data.currentPassword;
      if (typeof data14 == "string") {
        if (func0(data14) > 1024) {
          const err49 = { instancePath: instancePath + "/currentPassword", keyword: "maxLength", params: { limit: 1024 } };
          vErrors === null ? vErrors = [err49] : vErrors.push(err49), errors++;
        }
        if (func0(data14) < 1) {
          const err50 = { instancePath: instancePath + "/currentPassword", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err50] : vErrors.push(err50), errors++;
        }
      } else {
        const err51 = { instancePath: instancePath + "/currentPassword", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err51] : vErrors.push(err51), errors++;
      }
    }
    if (data.replace !== void 0 && typeof data.replace != "boolean") {
      const err52 = { instancePath: instancePath + "/replace", keyword: "type", params: { type: "boolean" } };
      vErrors === null ? vErrors = [err52] : vErrors.push(err52), errors++;
    }
    for (const key1 in data)
      if (!(key1 === "version" || key1 === "publicKey" || key1 === "privateKey" || key1 === "unlockers" || key1 === "currentPassword" || key1 === "replace")) {
        const err53 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key1, known: "version,publicKey,privateKey,unlockers,currentPassword,replace" } };
        vErrors === null ? vErrors = [err53] : vErrors.push(err53), errors++;
      }
  } else {
    const err54 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err54] : vErrors.push(err54), errors++;
  }
  return validate35.errors = vErrors, errors === 0;
}
validate35.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
function validate34(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate34.evaluated;
  return evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), validate35(data, { instancePath, parentData, parentDataProperty, rootData, dynamicAnchors }) || (vErrors = vErrors === null ? validate35.errors : vErrors.concat(validate35.errors), errors = vErrors.length), validate34.errors = vErrors, errors === 0;
}
validate34.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const administerUser = validate37;
const schema53 = { type: "object", additionalProperties: !1, minProperties: 1, properties: { role: { type: "string", enum: ["user", "admin"] }, tier: { $ref: "#/components/schemas/Tier" }, status: { type: "string", enum: ["active", "suspended"] } } }, schema54 = { type: "string", enum: ["free", "paid", "enterprise"] };
function validate38(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate38.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (Object.keys(data).length < 1) {
      const err0 = { instancePath, keyword: "minProperties", params: { limit: 1 } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.role !== void 0) {
      let data0 = data.role;
      if (typeof data0 != "string") {
        const err1 = { instancePath: instancePath + "/role", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
      }
      if (!(data0 === "user" || data0 === "admin")) {
        const err2 = { instancePath: instancePath + "/role", keyword: "enum", params: { allowedValues: schema53.properties.role.enum } };
        vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
      }
    }
    if (data.tier !== void 0) {
      let data1 = data.tier;
      if (typeof data1 != "string") {
        const err3 = { instancePath: instancePath + "/tier", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
      }
      if (!(data1 === "free" || data1 === "paid" || data1 === "enterprise")) {
        const err4 = { instancePath: instancePath + "/tier", keyword: "enum", params: { allowedValues: schema54.enum } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    if (data.status !== void 0) {
      let data2 = data.status;
      if (typeof data2 != "string") {
        const err5 = { instancePath: instancePath + "/status", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
      }
      if (!(data2 === "active" || data2 === "suspended")) {
        const err6 = { instancePath: instancePath + "/status", keyword: "enum", params: { allowedValues: schema53.properties.status.enum } };
        vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
      }
    }
    for (const key0 in data)
      if (!(key0 === "role" || key0 === "tier" || key0 === "status")) {
        const err7 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key0, known: "role,tier,status" } };
        vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
      }
  } else {
    const err8 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
  }
  return validate38.errors = vErrors, errors === 0;
}
validate38.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
function validate37(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate37.evaluated;
  return evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), validate38(data, { instancePath, parentData, parentDataProperty, rootData, dynamicAnchors }) || (vErrors = vErrors === null ? validate38.errors : vErrors.concat(validate38.errors), errors = vErrors.length), validate37.errors = vErrors, errors === 0;
}
validate37.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const createConsent = validate40;
const schema56 = { type: "object", required: ["purpose", "grantedTo"], additionalProperties: !1, properties: { purpose: { type: "string", minLength: 1, maxLength: 200, format: "name", "x-trimmed": !0 }, description: { type: ["string", "null"], maxLength: 2e3, pattern: "^[^\\u0000]*$" }, grantedTo: { type: "string", minLength: 1, maxLength: 200, format: "name", "x-trimmed": !0 }, scopes: { type: ["array", "null"], minItems: 1, maxItems: 50, uniqueItems: !0, items: { type: "string", minLength: 1, maxLength: 100, format: "name" } }, expiresAt: { type: ["string", "null"], format: "date-time" }, metadata: { type: ["object", "null"], maxProperties: 50, additionalProperties: !0, "x-max-bytes": 16384 } } };
function validate40(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate40.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.purpose === void 0) {
      const err0 = { instancePath, keyword: "required", params: { missingProperty: "purpose" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.grantedTo === void 0) {
      const err1 = { instancePath, keyword: "required", params: { missingProperty: "grantedTo" } };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
    if (data.purpose !== void 0) {
      let data0 = data.purpose;
      if (typeof data0 == "string") {
        if (data0 = data.purpose = data0.trim(), func0(data0) > 200) {
          const err2 = { instancePath: instancePath + "/purpose", keyword: "maxLength", params: { limit: 200 } };
          vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
        }
        if (func0(data0) < 1) {
          const err3 = { instancePath: instancePath + "/purpose", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
        }
        if (data0.length <= 400 && !formats2(data0)) {
          const err4 = { instancePath: instancePath + "/purpose", keyword: "format", params: { format: "name" } };
          vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
        }
      } else {
        const err5 = { instancePath: instancePath + "/purpose", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
      }
    }
    if (data.description !== void 0) {
      let data1 = data.description;
      if (typeof data1 != "string" && data1 !== null) {
        const err6 = { instancePath: instancePath + "/description", keyword: "type", params: { type: schema56.properties.description.type } };
        vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
      }
      if (typeof data1 == "string") {
        if (func0(data1) > 2e3) {
          const err7 = { instancePath: instancePath + "/description", keyword: "maxLength", params: { limit: 2e3 } };
          vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
        }
        if (data1.length <= 4e3 && !pattern7.test(data1)) {
          const err8 = { instancePath: instancePath + "/description", keyword: "pattern", params: { pattern: "^[^\\u0000]*$" } };
          vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
        }
      }
    }
    if (data.grantedTo !== void 0) {
      let data2 = data.grantedTo;
      if (typeof data2 == "string") {
        if (data2 = data.grantedTo = data2.trim(), func0(data2) > 200) {
          const err9 = { instancePath: instancePath + "/grantedTo", keyword: "maxLength", params: { limit: 200 } };
          vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
        }
        if (func0(data2) < 1) {
          const err10 = { instancePath: instancePath + "/grantedTo", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
        }
        if (data2.length <= 400 && !formats2(data2)) {
          const err11 = { instancePath: instancePath + "/grantedTo", keyword: "format", params: { format: "name" } };
          vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
        }
      } else {
        const err12 = { instancePath: instancePath + "/grantedTo", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
      }
    }
    if (data.scopes !== void 0) {
      let data3 = data.scopes;
      if (!Array.isArray(data3) && data3 !== null) {
        const err13 = { instancePath: instancePath + "/scopes", keyword: "type", params: { type: schema56.properties.scopes.type } };
        vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
      }
      if (Array.isArray(data3)) {
        if (data3.length > 50) {
          const err14 = { instancePath: instancePath + "/scopes", keyword: "maxItems", params: { limit: 50 } };
          vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
        }
        if (data3.length < 1) {
          const err15 = { instancePath: instancePath + "/scopes", keyword: "minItems", params: { limit: 1 } };
          vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
        }
        if (data3.length <= 50) {
          const len0 = data3.length;
          for (let i0 = 0; i0 < len0; i0++) {
            let data4 = data3[i0];
            if (typeof data4 == "string") {
              if (func0(data4) > 100) {
                const err16 = { instancePath: instancePath + "/scopes/" + i0, keyword: "maxLength", params: { limit: 100 } };
                vErrors === null ? vErrors = [err16] : vErrors.push(err16), errors++;
              }
              if (func0(data4) < 1) {
                const err17 = { instancePath: instancePath + "/scopes/" + i0, keyword: "minLength", params: { limit: 1 } };
                vErrors === null ? vErrors = [err17] : vErrors.push(err17), errors++;
              }
              if (data4.length <= 200 && !formats2(data4)) {
                const err18 = { instancePath: instancePath + "/scopes/" + i0, keyword: "format", params: { format: "name" } };
                vErrors === null ? vErrors = [err18] : vErrors.push(err18), errors++;
              }
            } else {
              const err19 = { instancePath: instancePath + "/scopes/" + i0, keyword: "type", params: { type: "string" } };
              vErrors === null ? vErrors = [err19] : vErrors.push(err19), errors++;
            }
          }
        }
        if (data3.length <= 50) {
          let i1 = data3.length, j0;
          if (i1 > 1) {
            const indices0 = {};
            for (; i1--; ) {
              let item0 = data3[i1];
              if (typeof item0 == "string") {
                if (typeof indices0[item0] == "number") {
                  j0 = indices0[item0];
                  const err20 = { instancePath: instancePath + "/scopes", keyword: "uniqueItems", params: { i: i1, j: j0 } };
                  vErrors === null ? vErrors = [err20] : vErrors.push(err20), errors++;
                  break;
                }
                indices0[item0] = i1;
              }
            }
          }
        }
      }
    }
    if (data.expiresAt !== void 0) {
      let data5 = data.expiresAt;
      if (typeof data5 != "string" && data5 !== null) {
        const err21 = { instancePath: instancePath + "/expiresAt", keyword: "type", params: { type: schema56.properties.expiresAt.type } };
        vErrors === null ? vErrors = [err21] : vErrors.push(err21), errors++;
      }
      if (typeof data5 == "string" && !formats6(data5)) {
        const err22 = { instancePath: instancePath + "/expiresAt", keyword: "format", params: { format: "date-time" } };
        vErrors === null ? vErrors = [err22] : vErrors.push(err22), errors++;
      }
    }
    if (data.metadata !== void 0) {
      let data6 = data.metadata;
      if (!(data6 && typeof data6 == "object" && !Array.isArray(data6)) && data6 !== null) {
        const err23 = { instancePath: instancePath + "/metadata", keyword: "type", params: { type: schema56.properties.metadata.type } };
        vErrors === null ? vErrors = [err23] : vErrors.push(err23), errors++;
      }
      if (data6 && typeof data6 == "object" && !Array.isArray(data6)) {
        if (Object.keys(data6).length > 50) {
          const err24 = { instancePath: instancePath + "/metadata", keyword: "maxProperties", params: { limit: 50 } };
          vErrors === null ? vErrors = [err24] : vErrors.push(err24), errors++;
        }
        if (func54(data6) > 16384) {
          const err25 = { instancePath: instancePath + "/metadata", keyword: "x-max-bytes", params: { limit: 16384 } };
          vErrors === null ? vErrors = [err25] : vErrors.push(err25), errors++;
        }
      }
    }
    for (const key0 in data)
      if (!(key0 === "purpose" || key0 === "description" || key0 === "grantedTo" || key0 === "scopes" || key0 === "expiresAt" || key0 === "metadata")) {
        const err26 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key0, known: "purpose,description,grantedTo,scopes,expiresAt,metadata" } };
        vErrors === null ? vErrors = [err26] : vErrors.push(err26), errors++;
      }
  } else {
    const err27 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err27] : vErrors.push(err27), errors++;
  }
  return validate40.errors = vErrors, errors === 0;
}
validate40.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const updateConsent = validate41;
const schema58 = { type: "object", additionalProperties: !1, minProperties: 1, dependentSchemas: { reason: { required: ["status"], properties: { status: { const: "revoked" } }, additionalProperties: !0 }, expiresAt: { properties: { status: { const: "granted" } }, additionalProperties: !0 } }, properties: { status: { type: "string", enum: ["revoked", "granted"] }, reason: { type: "string", minLength: 1, maxLength: 500, pattern: "^[^\\u0000]*$" }, expiresAt: { type: "string", format: "date-time" }, description: { type: ["string", "null"], maxLength: 2e3, pattern: "^[^\\u0000]*$" }, metadata: { type: ["object", "null"], maxProperties: 50, additionalProperties: !0, "x-max-bytes": 16384 } } };
function validate41(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate41.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (Object.keys(data).length < 1) {
      const err0 = { instancePath, keyword: "minProperties", params: { limit: 1 } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.status !== void 0) {
      let data0 = data.status;
      if (typeof data0 != "string") {
        const err1 = { instancePath: instancePath + "/status", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
      }
      if (!(data0 === "revoked" || data0 === "granted")) {
        const err2 = { instancePath: instancePath + "/status", keyword: "enum", params: { allowedValues: schema58.properties.status.enum } };
        vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
      }
    }
    if (data.reason !== void 0) {
      let data1 = data.reason;
      if (typeof data1 == "string") {
        if (func0(data1) > 500) {
          const err3 = { instancePath: instancePath + "/reason", keyword: "maxLength", params: { limit: 500 } };
          vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
        }
        if (func0(data1) < 1) {
          const err4 = { instancePath: instancePath + "/reason", keyword: "minLength", params: { limit: 1 } };
          vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
        }
        if (data1.length <= 1e3 && !pattern7.test(data1)) {
          const err5 = { instancePath: instancePath + "/reason", keyword: "pattern", params: { pattern: "^[^\\u0000]*$" } };
          vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
        }
      } else {
        const err6 = { instancePath: instancePath + "/reason", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
      }
    }
    if (data.expiresAt !== void 0) {
      let data2 = data.expiresAt;
      if (typeof data2 == "string") {
        if (!formats6(data2)) {
          const err7 = { instancePath: instancePath + "/expiresAt", keyword: "format", params: { format: "date-time" } };
          vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
        }
      } else {
        const err8 = { instancePath: instancePath + "/expiresAt", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
      }
    }
    if (data.description !== void 0) {
      let data3 = data.description;
      if (typeof data3 != "string" && data3 !== null) {
        const err9 = { instancePath: instancePath + "/description", keyword: "type", params: { type: schema58.properties.description.type } };
        vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
      }
      if (typeof data3 == "string") {
        if (func0(data3) > 2e3) {
          const err10 = { instancePath: instancePath + "/description", keyword: "maxLength", params: { limit: 2e3 } };
          vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
        }
        if (data3.length <= 4e3 && !pattern7.test(data3)) {
          const err11 = { instancePath: instancePath + "/description", keyword: "pattern", params: { pattern: "^[^\\u0000]*$" } };
          vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
        }
      }
    }
    if (data.metadata !== void 0) {
      let data4 = data.metadata;
      if (!(data4 && typeof data4 == "object" && !Array.isArray(data4)) && data4 !== null) {
        const err12 = { instancePath: instancePath + "/metadata", keyword: "type", params: { type: schema58.properties.metadata.type } };
        vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
      }
      if (data4 && typeof data4 == "object" && !Array.isArray(data4)) {
        if (Object.keys(data4).length > 50) {
          const err13 = { instancePath: instancePath + "/metadata", keyword: "maxProperties", params: { limit: 50 } };
          vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
        }
        if (func54(data4) > 16384) {
          const err14 = { instancePath: instancePath + "/metadata", keyword: "x-max-bytes", params: { limit: 16384 } };
          vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
        }
      }
    }
    if (data.reason !== void 0) {
      const _errs13 = errors;
      if (data && typeof data == "object" && !Array.isArray(data)) {
        if (data.status === void 0) {
          const err15 = { instancePath, keyword: "required", params: { missingProperty: "status" } };
          vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
        }
        if (data.status !== void 0 && data.status !== "revoked") {
          const err16 = { instancePath: instancePath + "/status", keyword: "const", params: { allowedValue: "revoked" } };
          vErrors === null ? vErrors = [err16] : vErrors.push(err16), errors++;
        }
      }
      var valid2 = _errs13 === errors;
      if (valid2)
        var props0 = !0;
    } else
      var valid2 = !0;
    if (data.expiresAt !== void 0) {
      const _errs16 = errors;
      if (data && typeof data == "object" && !Array.isArray(data) && data.status !== void 0 && data.status !== "granted") {
        const err17 = { instancePath: instancePath + "/status", keyword: "const", params: { allowedValue: "granted" } };
        vErrors === null ? vErrors = [err17] : vErrors.push(err17), errors++;
      }
      var valid2 = _errs16 === errors;
      valid2 && props0 !== !0 && (props0 = !0);
    } else
      var valid2 = !0;
    for (const key0 in data)
      if (!(key0 === "status" || key0 === "reason" || key0 === "expiresAt" || key0 === "description" || key0 === "metadata")) {
        const err18 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key0, known: "status,reason,expiresAt,description,metadata" } };
        vErrors === null ? vErrors = [err18] : vErrors.push(err18), errors++;
      }
  } else {
    const err19 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err19] : vErrors.push(err19), errors++;
  }
  return validate41.errors = vErrors, errors === 0;
}
validate41.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const createWebhook = validate42;
const schema60 = { type: "object", required: ["url", "events"], additionalProperties: !1, properties: { url: { type: "string", format: "uri", maxLength: 2048, pattern: "^https?://", "x-written-url": !0 }, events: { type: "array", minItems: 1, maxItems: 22, uniqueItems: !0, items: { type: "string", $ref: "#/components/schemas/EventType" } }, secret: { type: "string", minLength: 32, maxLength: 256, pattern: "^\\S[\\s\\S]*\\S$" }, description: { type: ["string", "null"], maxLength: 2e3, pattern: "^[^\\u0000]*$" }, headers: { type: ["object", "null"], maxProperties: 20, propertyNames: { type: "string", minLength: 1, maxLength: 100, pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" }, additionalProperties: { type: "string", maxLength: 4096, pattern: "^[^\\r\\n\\u0000]*$" }, "x-max-bytes": 16384 }, active: { type: "boolean", default: !0 }, metadata: { type: ["object", "null"], maxProperties: 50, additionalProperties: !0, "x-max-bytes": 16384 }, accounts: { type: "string", enum: ["own", "all"] } } }, schema61 = { type: "string", enum: ["vault.created", "vault.updated", "vault.deleted", "vault.quota.warning", "vault.quota.exceeded", "document.uploaded", "document.updated", "document.deleted", "document.shared", "document.share.accessed", "document.share.expired", "consent.granted", "consent.revoked", "consent.expired", "consent.renewed", "user.created", "user.updated", "user.deleted", "user.login", "instance.health.degraded", "instance.health.recovered", "instance.quota.warning"] }, func108 = writtenUrl, pattern25 = new RegExp("^https?://", "u"), pattern26 = new RegExp("^\\S[\\s\\S]*\\S$", "u"), pattern28 = new RegExp("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", "u"), pattern29 = new RegExp("^[^\\r\\n\\u0000]*$", "u");
function validate43(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate43.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.active === void 0 && (data.active = !0), data.url === void 0) {
      const err0 = { instancePath, keyword: "required", params: { missingProperty: "url" } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.events === void 0) {
      const err1 = { instancePath, keyword: "required", params: { missingProperty: "events" } };
      vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
    }
    if (data.url !== void 0) {
      let data0 = data.url;
      if (typeof data0 == "string") {
        if (data0 = data.url = func108(data0), func0(data0) > 2048) {
          const err2 = { instancePath: instancePath + "/url", keyword: "maxLength", params: { limit: 2048 } };
          vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
        }
        if (data0.length <= 4096 && !pattern25.test(data0)) {
          const err3 = { instancePath: instancePath + "/url", keyword: "pattern", params: { pattern: "^https?://" } };
          vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
        }
        if (data0.length <= 4096 && !formats10(data0)) {
          const err4 = { instancePath: instancePath + "/url", keyword: "format", params: { format: "uri" } };
          vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
        }
      } else {
        const err5 = { instancePath: instancePath + "/url", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
      }
    }
    if (data.events !== void 0) {
      let data1 = data.events;
      if (Array.isArray(data1)) {
        if (data1.length > 22) {
          const err6 = { instancePath: instancePath + "/events", keyword: "maxItems", params: { limit: 22 } };
          vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
        }
        if (data1.length < 1) {
          const err7 = { instancePath: instancePath + "/events", keyword: "minItems", params: { limit: 1 } };
          vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
        }
        if (data1.length <= 22) {
          const len0 = data1.length;
          for (let i0 = 0; i0 < len0; i0++) {
            let data2 = data1[i0];
            if (typeof data2 != "string") {
              const err8 = { instancePath: instancePath + "/events/" + i0, keyword: "type", params: { type: "string" } };
              vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
            }
            if (typeof data2 != "string") {
              const err9 = { instancePath: instancePath + "/events/" + i0, keyword: "type", params: { type: "string" } };
              vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
            }
            if (!(data2 === "vault.created" || data2 === "vault.updated" || data2 === "vault.deleted" || data2 === "vault.quota.warning" || data2 === "vault.quota.exceeded" || data2 === "document.uploaded" || data2 === "document.updated" || data2 === "document.deleted" || data2 === "document.shared" || data2 === "document.share.accessed" || data2 === "document.share.expired" || data2 === "consent.granted" || data2 === "consent.revoked" || data2 === "consent.expired" || data2 === "consent.renewed" || data2 === "user.created" || data2 === "user.updated" || data2 === "user.deleted" || data2 === "user.login" || data2 === "instance.health.degraded" || data2 === "instance.health.recovered" || data2 === "instance.quota.warning")) {
              const err10 = { instancePath: instancePath + "/events/" + i0, keyword: "enum", params: { allowedValues: schema61.enum } };
              vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
            }
          }
        }
        if (data1.length <= 22) {
          let i1 = data1.length, j0;
          if (i1 > 1) {
            const indices0 = {};
            for (; i1--; ) {
              let item0 = data1[i1];
              if (typeof item0 == "string") {
                if (typeof indices0[item0] == "number") {
                  j0 = indices0[item0];
                  const err11 = { instancePath: instancePath + "/events", keyword: "uniqueItems", params: { i: i1, j: j0 } };
                  vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
                  break;
                }
                indices0[item0] = i1;
              }
            }
          }
        }
      } else {
        const err12 = { instancePath: instancePath + "/events", keyword: "type", params: { type: "array" } };
        vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
      }
    }
    if (data.secret !== void 0) {
      let data3 = data.secret;
      if (typeof data3 == "string") {
        if (func0(data3) > 256) {
          const err13 = { instancePath: instancePath + "/secret", keyword: "maxLength", params: { limit: 256 } };
          vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
        }
        if (func0(data3) < 32) {
          const err14 = { instancePath: instancePath + "/secret", keyword: "minLength", params: { limit: 32 } };
          vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
        }
        if (data3.length <= 512 && !pattern26.test(data3)) {
          const err15 = { instancePath: instancePath + "/secret", keyword: "pattern", params: { pattern: "^\\S[\\s\\S]*\\S$" } };
          vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
        }
      } else {
        const err16 = { instancePath: instancePath + "/secret", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err16] : vErrors.push(err16), errors++;
      }
    }
    if (data.description !== void 0) {
      let data4 = data.description;
      if (typeof data4 != "string" && data4 !== null) {
        const err17 = { instancePath: instancePath + "/description", keyword: "type", params: { type: schema60.properties.description.type } };
        vErrors === null ? vErrors = [err17] : vErrors.push(err17), errors++;
      }
      if (typeof data4 == "string") {
        if (func0(data4) > 2e3) {
          const err18 = { instancePath: instancePath + "/description", keyword: "maxLength", params: { limit: 2e3 } };
          vErrors === null ? vErrors = [err18] : vErrors.push(err18), errors++;
        }
        if (data4.length <= 4e3 && !pattern7.test(data4)) {
          const err19 = { instancePath: instancePath + "/description", keyword: "pattern", params: { pattern: "^[^\\u0000]*$" } };
          vErrors === null ? vErrors = [err19] : vErrors.push(err19), errors++;
        }
      }
    }
    if (data.headers !== void 0) {
      let data5 = data.headers;
      if (!(data5 && typeof data5 == "object" && !Array.isArray(data5)) && data5 !== null) {
        const err20 = { instancePath: instancePath + "/headers", keyword: "type", params: { type: schema60.properties.headers.type } };
        vErrors === null ? vErrors = [err20] : vErrors.push(err20), errors++;
      }
      if (data5 && typeof data5 == "object" && !Array.isArray(data5)) {
        if (Object.keys(data5).length > 20) {
          const err21 = { instancePath: instancePath + "/headers", keyword: "maxProperties", params: { limit: 20 } };
          vErrors === null ? vErrors = [err21] : vErrors.push(err21), errors++;
        }
        if (Object.keys(data5).length <= 20)
          for (const key0 in data5) {
            const _errs15 = errors;
            if (typeof key0 == "string") {
              if (func0(key0) > 100) {
                const err22 = { instancePath: instancePath + "/headers", keyword: "maxLength", params: { limit: 100 }, propertyName: key0 };
                vErrors === null ? vErrors = [err22] : vErrors.push(err22), errors++;
              }
              if (func0(key0) < 1) {
                const err23 = { instancePath: instancePath + "/headers", keyword: "minLength", params: { limit: 1 }, propertyName: key0 };
                vErrors === null ? vErrors = [err23] : vErrors.push(err23), errors++;
              }
              if (key0.length <= 200 && !pattern28.test(key0)) {
                const err24 = { instancePath: instancePath + "/headers", keyword: "pattern", params: { pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" }, propertyName: key0 };
                vErrors === null ? vErrors = [err24] : vErrors.push(err24), errors++;
              }
            } else {
              const err25 = { instancePath: instancePath + "/headers", keyword: "type", params: { type: "string" }, propertyName: key0 };
              vErrors === null ? vErrors = [err25] : vErrors.push(err25), errors++;
            }
            var valid5 = _errs15 === errors;
            if (!valid5) {
              const err26 = { instancePath: instancePath + "/headers", keyword: "propertyNames", params: { propertyName: key0 } };
              vErrors === null ? vErrors = [err26] : vErrors.push(err26), errors++;
            }
          }
        if (Object.keys(data5).length <= 20)
          for (const key1 in data5) {
            let data6 = data5[key1];
            if (typeof data6 == "string") {
              if (func0(data6) > 4096) {
                const err27 = { instancePath: instancePath + "/headers/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"), keyword: "maxLength", params: { limit: 4096 } };
                vErrors === null ? vErrors = [err27] : vErrors.push(err27), errors++;
              }
              if (data6.length <= 8192 && !pattern29.test(data6)) {
                const err28 = { instancePath: instancePath + "/headers/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"), keyword: "pattern", params: { pattern: "^[^\\r\\n\\u0000]*$" } };
                vErrors === null ? vErrors = [err28] : vErrors.push(err28), errors++;
              }
            } else {
              const err29 = { instancePath: instancePath + "/headers/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"), keyword: "type", params: { type: "string" } };
              vErrors === null ? vErrors = [err29] : vErrors.push(err29), errors++;
            }
          }
        if (func54(data5) > 16384) {
          const err30 = { instancePath: instancePath + "/headers", keyword: "x-max-bytes", params: { limit: 16384 } };
          vErrors === null ? vErrors = [err30] : vErrors.push(err30), errors++;
        }
      }
    }
    if (typeof data.active != "boolean") {
      const err31 = { instancePath: instancePath + "/active", keyword: "type", params: { type: "boolean" } };
      vErrors === null ? vErrors = [err31] : vErrors.push(err31), errors++;
    }
    if (data.metadata !== void 0) {
      let data8 = data.metadata;
      if (!(data8 && typeof data8 == "object" && !Array.isArray(data8)) && data8 !== null) {
        const err32 = { instancePath: instancePath + "/metadata", keyword: "type", params: { type: schema60.properties.metadata.type } };
        vErrors === null ? vErrors = [err32] : vErrors.push(err32), errors++;
      }
      if (data8 && typeof data8 == "object" && !Array.isArray(data8)) {
        if (Object.keys(data8).length > 50) {
          const err33 = { instancePath: instancePath + "/metadata", keyword: "maxProperties", params: { limit: 50 } };
          vErrors === null ? vErrors = [err33] : vErrors.push(err33), errors++;
        }
        if (func54(data8) > 16384) {
          const err34 = { instancePath: instancePath + "/metadata", keyword: "x-max-bytes", params: { limit: 16384 } };
          vErrors === null ? vErrors = [err34] : vErrors.push(err34), errors++;
        }
      }
    }
    if (data.accounts !== void 0) {
      let data9 = data.accounts;
      if (typeof data9 != "string") {
        const err35 = { instancePath: instancePath + "/accounts", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err35] : vErrors.push(err35), errors++;
      }
      if (!(data9 === "own" || data9 === "all")) {
        const err36 = { instancePath: instancePath + "/accounts", keyword: "enum", params: { allowedValues: schema60.properties.accounts.enum } };
        vErrors === null ? vErrors = [err36] : vErrors.push(err36), errors++;
      }
    }
    for (const key2 in data)
      if (!(key2 === "url" || key2 === "events" || key2 === "secret" || key2 === "description" || key2 === "headers" || key2 === "active" || key2 === "metadata" || key2 === "accounts")) {
        const err37 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key2, known: "url,events,secret,description,headers,active,metadata,accounts" } };
        vErrors === null ? vErrors = [err37] : vErrors.push(err37), errors++;
      }
  } else {
    const err38 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err38] : vErrors.push(err38), errors++;
  }
  return validate43.errors = vErrors, errors === 0;
}
validate43.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
function validate42(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate42.evaluated;
  return evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), validate43(data, { instancePath, parentData, parentDataProperty, rootData, dynamicAnchors }) || (vErrors = vErrors === null ? validate43.errors : vErrors.concat(validate43.errors), errors = vErrors.length), validate42.errors = vErrors, errors === 0;
}
validate42.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const updateWebhook = validate45;
const schema63 = { type: "object", additionalProperties: !1, minProperties: 1, properties: { url: { type: "string", format: "uri", maxLength: 2048, pattern: "^https?://", "x-written-url": !0 }, events: { type: "array", minItems: 1, maxItems: 22, uniqueItems: !0, items: { type: "string", $ref: "#/components/schemas/EventType" } }, secret: { type: "string", minLength: 32, maxLength: 256, pattern: "^\\S[\\s\\S]*\\S$" }, previousSecretExpiresAt: { type: ["string", "null"], format: "date-time" }, description: { type: ["string", "null"], maxLength: 2e3, pattern: "^[^\\u0000]*$" }, headers: { type: ["object", "null"], maxProperties: 20, propertyNames: { type: "string", minLength: 1, maxLength: 100, pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" }, additionalProperties: { type: "string", maxLength: 4096, pattern: "^[^\\r\\n\\u0000]*$" }, "x-max-bytes": 16384 }, active: { type: "boolean" }, metadata: { type: ["object", "null"], maxProperties: 50, additionalProperties: !0, "x-max-bytes": 16384 }, accounts: { type: "string", enum: ["own", "all"] } } };
function validate46(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate46.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (Object.keys(data).length < 1) {
      const err0 = { instancePath, keyword: "minProperties", params: { limit: 1 } };
      vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
    }
    if (data.url !== void 0) {
      let data0 = data.url;
      if (typeof data0 == "string") {
        if (data0 = data.url = func108(data0), func0(data0) > 2048) {
          const err1 = { instancePath: instancePath + "/url", keyword: "maxLength", params: { limit: 2048 } };
          vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
        }
        if (data0.length <= 4096 && !pattern25.test(data0)) {
          const err2 = { instancePath: instancePath + "/url", keyword: "pattern", params: { pattern: "^https?://" } };
          vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
        }
        if (data0.length <= 4096 && !formats10(data0)) {
          const err3 = { instancePath: instancePath + "/url", keyword: "format", params: { format: "uri" } };
          vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
        }
      } else {
        const err4 = { instancePath: instancePath + "/url", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
    }
    if (data.events !== void 0) {
      let data1 = data.events;
      if (Array.isArray(data1)) {
        if (data1.length > 22) {
          const err5 = { instancePath: instancePath + "/events", keyword: "maxItems", params: { limit: 22 } };
          vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
        }
        if (data1.length < 1) {
          const err6 = { instancePath: instancePath + "/events", keyword: "minItems", params: { limit: 1 } };
          vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
        }
        if (data1.length <= 22) {
          const len0 = data1.length;
          for (let i0 = 0; i0 < len0; i0++) {
            let data2 = data1[i0];
            if (typeof data2 != "string") {
              const err7 = { instancePath: instancePath + "/events/" + i0, keyword: "type", params: { type: "string" } };
              vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
            }
            if (typeof data2 != "string") {
              const err8 = { instancePath: instancePath + "/events/" + i0, keyword: "type", params: { type: "string" } };
              vErrors === null ? vErrors = [err8] : vErrors.push(err8), errors++;
            }
            if (!(data2 === "vault.created" || data2 === "vault.updated" || data2 === "vault.deleted" || data2 === "vault.quota.warning" || data2 === "vault.quota.exceeded" || data2 === "document.uploaded" || data2 === "document.updated" || data2 === "document.deleted" || data2 === "document.shared" || data2 === "document.share.accessed" || data2 === "document.share.expired" || data2 === "consent.granted" || data2 === "consent.revoked" || data2 === "consent.expired" || data2 === "consent.renewed" || data2 === "user.created" || data2 === "user.updated" || data2 === "user.deleted" || data2 === "user.login" || data2 === "instance.health.degraded" || data2 === "instance.health.recovered" || data2 === "instance.quota.warning")) {
              const err9 = { instancePath: instancePath + "/events/" + i0, keyword: "enum", params: { allowedValues: schema61.enum } };
              vErrors === null ? vErrors = [err9] : vErrors.push(err9), errors++;
            }
          }
        }
        if (data1.length <= 22) {
          let i1 = data1.length, j0;
          if (i1 > 1) {
            const indices0 = {};
            for (; i1--; ) {
              let item0 = data1[i1];
              if (typeof item0 == "string") {
                if (typeof indices0[item0] == "number") {
                  j0 = indices0[item0];
                  const err10 = { instancePath: instancePath + "/events", keyword: "uniqueItems", params: { i: i1, j: j0 } };
                  vErrors === null ? vErrors = [err10] : vErrors.push(err10), errors++;
                  break;
                }
                indices0[item0] = i1;
              }
            }
          }
        }
      } else {
        const err11 = { instancePath: instancePath + "/events", keyword: "type", params: { type: "array" } };
        vErrors === null ? vErrors = [err11] : vErrors.push(err11), errors++;
      }
    }
    if (data.secret !== void 0) {
      let data3 = data.secret;
      if (typeof data3 == "string") {
        if (func0(data3) > 256) {
          const err12 = { instancePath: instancePath + "/secret", keyword: "maxLength", params: { limit: 256 } };
          vErrors === null ? vErrors = [err12] : vErrors.push(err12), errors++;
        }
        if (func0(data3) < 32) {
          const err13 = { instancePath: instancePath + "/secret", keyword: "minLength", params: { limit: 32 } };
          vErrors === null ? vErrors = [err13] : vErrors.push(err13), errors++;
        }
        if (data3.length <= 512 && !pattern26.test(data3)) {
          const err14 = { instancePath: instancePath + "/secret", keyword: "pattern", params: { pattern: "^\\S[\\s\\S]*\\S$" } };
          vErrors === null ? vErrors = [err14] : vErrors.push(err14), errors++;
        }
      } else {
        const err15 = { instancePath: instancePath + "/secret", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err15] : vErrors.push(err15), errors++;
      }
    }
    if (data.previousSecretExpiresAt !== void 0) {
      let data4 = data.previousSecretExpiresAt;
      if (typeof data4 != "string" && data4 !== null) {
        const err16 = { instancePath: instancePath + "/previousSecretExpiresAt", keyword: "type", params: { type: schema63.properties.previousSecretExpiresAt.type } };
        vErrors === null ? vErrors = [err16] : vErrors.push(err16), errors++;
      }
      if (typeof data4 == "string" && !formats6(data4)) {
        const err17 = { instancePath: instancePath + "/previousSecretExpiresAt", keyword: "format", params: { format: "date-time" } };
        vErrors === null ? vErrors = [err17] : vErrors.push(err17), errors++;
      }
    }
    if (data.description !== void 0) {
      let data5 = data.description;
      if (typeof data5 != "string" && data5 !== null) {
        const err18 = { instancePath: instancePath + "/description", keyword: "type", params: { type: schema63.properties.description.type } };
        vErrors === null ? vErrors = [err18] : vErrors.push(err18), errors++;
      }
      if (typeof data5 == "string") {
        if (func0(data5) > 2e3) {
          const err19 = { instancePath: instancePath + "/description", keyword: "maxLength", params: { limit: 2e3 } };
          vErrors === null ? vErrors = [err19] : vErrors.push(err19), errors++;
        }
        if (data5.length <= 4e3 && !pattern7.test(data5)) {
          const err20 = { instancePath: instancePath + "/description", keyword: "pattern", params: { pattern: "^[^\\u0000]*$" } };
          vErrors === null ? vErrors = [err20] : vErrors.push(err20), errors++;
        }
      }
    }
    if (data.headers !== void 0) {
      let data6 = data.headers;
      if (!(data6 && typeof data6 == "object" && !Array.isArray(data6)) && data6 !== null) {
        const err21 = { instancePath: instancePath + "/headers", keyword: "type", params: { type: schema63.properties.headers.type } };
        vErrors === null ? vErrors = [err21] : vErrors.push(err21), errors++;
      }
      if (data6 && typeof data6 == "object" && !Array.isArray(data6)) {
        if (Object.keys(data6).length > 20) {
          const err22 = { instancePath: instancePath + "/headers", keyword: "maxProperties", params: { limit: 20 } };
          vErrors === null ? vErrors = [err22] : vErrors.push(err22), errors++;
        }
        if (Object.keys(data6).length <= 20)
          for (const key0 in data6) {
            const _errs17 = errors;
            if (typeof key0 == "string") {
              if (func0(key0) > 100) {
                const err23 = { instancePath: instancePath + "/headers", keyword: "maxLength", params: { limit: 100 }, propertyName: key0 };
                vErrors === null ? vErrors = [err23] : vErrors.push(err23), errors++;
              }
              if (func0(key0) < 1) {
                const err24 = { instancePath: instancePath + "/headers", keyword: "minLength", params: { limit: 1 }, propertyName: key0 };
                vErrors === null ? vErrors = [err24] : vErrors.push(err24), errors++;
              }
              if (key0.length <= 200 && !pattern28.test(key0)) {
                const err25 = { instancePath: instancePath + "/headers", keyword: "pattern", params: { pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" }, propertyName: key0 };
                vErrors === null ? vErrors = [err25] : vErrors.push(err25), errors++;
              }
            } else {
              const err26 = { instancePath: instancePath + "/headers", keyword: "type", params: { type: "string" }, propertyName: key0 };
              vErrors === null ? vErrors = [err26] : vErrors.push(err26), errors++;
            }
            var valid5 = _errs17 === errors;
            if (!valid5) {
              const err27 = { instancePath: instancePath + "/headers", keyword: "propertyNames", params: { propertyName: key0 } };
              vErrors === null ? vErrors = [err27] : vErrors.push(err27), errors++;
            }
          }
        if (Object.keys(data6).length <= 20)
          for (const key1 in data6) {
            let data7 = data6[key1];
            if (typeof data7 == "string") {
              if (func0(data7) > 4096) {
                const err28 = { instancePath: instancePath + "/headers/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"), keyword: "maxLength", params: { limit: 4096 } };
                vErrors === null ? vErrors = [err28] : vErrors.push(err28), errors++;
              }
              if (data7.length <= 8192 && !pattern29.test(data7)) {
                const err29 = { instancePath: instancePath + "/headers/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"), keyword: "pattern", params: { pattern: "^[^\\r\\n\\u0000]*$" } };
                vErrors === null ? vErrors = [err29] : vErrors.push(err29), errors++;
              }
            } else {
              const err30 = { instancePath: instancePath + "/headers/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"), keyword: "type", params: { type: "string" } };
              vErrors === null ? vErrors = [err30] : vErrors.push(err30), errors++;
            }
          }
        if (func54(data6) > 16384) {
          const err31 = { instancePath: instancePath + "/headers", keyword: "x-max-bytes", params: { limit: 16384 } };
          vErrors === null ? vErrors = [err31] : vErrors.push(err31), errors++;
        }
      }
    }
    if (data.active !== void 0 && typeof data.active != "boolean") {
      const err32 = { instancePath: instancePath + "/active", keyword: "type", params: { type: "boolean" } };
      vErrors === null ? vErrors = [err32] : vErrors.push(err32), errors++;
    }
    if (data.metadata !== void 0) {
      let data9 = data.metadata;
      if (!(data9 && typeof data9 == "object" && !Array.isArray(data9)) && data9 !== null) {
        const err33 = { instancePath: instancePath + "/metadata", keyword: "type", params: { type: schema63.properties.metadata.type } };
        vErrors === null ? vErrors = [err33] : vErrors.push(err33), errors++;
      }
      if (data9 && typeof data9 == "object" && !Array.isArray(data9)) {
        if (Object.keys(data9).length > 50) {
          const err34 = { instancePath: instancePath + "/metadata", keyword: "maxProperties", params: { limit: 50 } };
          vErrors === null ? vErrors = [err34] : vErrors.push(err34), errors++;
        }
        if (func54(data9) > 16384) {
          const err35 = { instancePath: instancePath + "/metadata", keyword: "x-max-bytes", params: { limit: 16384 } };
          vErrors === null ? vErrors = [err35] : vErrors.push(err35), errors++;
        }
      }
    }
    if (data.accounts !== void 0) {
      let data10 = data.accounts;
      if (typeof data10 != "string") {
        const err36 = { instancePath: instancePath + "/accounts", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err36] : vErrors.push(err36), errors++;
      }
      if (!(data10 === "own" || data10 === "all")) {
        const err37 = { instancePath: instancePath + "/accounts", keyword: "enum", params: { allowedValues: schema63.properties.accounts.enum } };
        vErrors === null ? vErrors = [err37] : vErrors.push(err37), errors++;
      }
    }
    for (const key2 in data)
      if (!func24.call(schema63.properties, key2)) {
        const err38 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key2, known: "url,events,secret,previousSecretExpiresAt,description,headers,active,metadata,accounts" } };
        vErrors === null ? vErrors = [err38] : vErrors.push(err38), errors++;
      }
  } else {
    const err39 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err39] : vErrors.push(err39), errors++;
  }
  return validate46.errors = vErrors, errors === 0;
}
validate46.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
function validate45(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate45.evaluated;
  return evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), validate46(data, { instancePath, parentData, parentDataProperty, rootData, dynamicAnchors }) || (vErrors = vErrors === null ? validate46.errors : vErrors.concat(validate46.errors), errors = vErrors.length), validate45.errors = vErrors, errors === 0;
}
validate45.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const rotateWebhookSecret = validate48;
const schema66 = { type: "object", additionalProperties: !1, properties: { secret: { type: "string", minLength: 32, maxLength: 256, pattern: "^\\S[\\s\\S]*\\S$" }, previousSecretExpiresAt: { type: ["string", "null"], format: "date-time" } } };
function validate48(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate48.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.secret !== void 0) {
      let data0 = data.secret;
      if (typeof data0 == "string") {
        if (func0(data0) > 256) {
          const err0 = { instancePath: instancePath + "/secret", keyword: "maxLength", params: { limit: 256 } };
          vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
        }
        if (func0(data0) < 32) {
          const err1 = { instancePath: instancePath + "/secret", keyword: "minLength", params: { limit: 32 } };
          vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
        }
        if (data0.length <= 512 && !pattern26.test(data0)) {
          const err2 = { instancePath: instancePath + "/secret", keyword: "pattern", params: { pattern: "^\\S[\\s\\S]*\\S$" } };
          vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
        }
      } else {
        const err3 = { instancePath: instancePath + "/secret", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
      }
    }
    if (data.previousSecretExpiresAt !== void 0) {
      let data1 = data.previousSecretExpiresAt;
      if (typeof data1 != "string" && data1 !== null) {
        const err4 = { instancePath: instancePath + "/previousSecretExpiresAt", keyword: "type", params: { type: schema66.properties.previousSecretExpiresAt.type } };
        vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
      }
      if (typeof data1 == "string" && !formats6(data1)) {
        const err5 = { instancePath: instancePath + "/previousSecretExpiresAt", keyword: "format", params: { format: "date-time" } };
        vErrors === null ? vErrors = [err5] : vErrors.push(err5), errors++;
      }
    }
    for (const key0 in data)
      if (!(key0 === "secret" || key0 === "previousSecretExpiresAt")) {
        const err6 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key0, known: "secret,previousSecretExpiresAt" } };
        vErrors === null ? vErrors = [err6] : vErrors.push(err6), errors++;
      }
  } else {
    const err7 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err7] : vErrors.push(err7), errors++;
  }
  return validate48.errors = vErrors, errors === 0;
}
validate48.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
const testWebhook = validate49;
function validate50(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate50.evaluated;
  if (evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), data && typeof data == "object" && !Array.isArray(data)) {
    if (data.allowUnsubscribed === void 0 && (data.allowUnsubscribed = !1), data.eventType !== void 0) {
      let data0 = data.eventType;
      if (typeof data0 != "string") {
        const err0 = { instancePath: instancePath + "/eventType", keyword: "type", params: { type: "string" } };
        vErrors === null ? vErrors = [err0] : vErrors.push(err0), errors++;
      }
      if (!(data0 === "vault.created" || data0 === "vault.updated" || data0 === "vault.deleted" || data0 === "vault.quota.warning" || data0 === "vault.quota.exceeded" || data0 === "document.uploaded" || data0 === "document.updated" || data0 === "document.deleted" || data0 === "document.shared" || data0 === "document.share.accessed" || data0 === "document.share.expired" || data0 === "consent.granted" || data0 === "consent.revoked" || data0 === "consent.expired" || data0 === "consent.renewed" || data0 === "user.created" || data0 === "user.updated" || data0 === "user.deleted" || data0 === "user.login" || data0 === "instance.health.degraded" || data0 === "instance.health.recovered" || data0 === "instance.quota.warning")) {
        const err1 = { instancePath: instancePath + "/eventType", keyword: "enum", params: { allowedValues: schema61.enum } };
        vErrors === null ? vErrors = [err1] : vErrors.push(err1), errors++;
      }
    }
    if (typeof data.allowUnsubscribed != "boolean") {
      const err2 = { instancePath: instancePath + "/allowUnsubscribed", keyword: "type", params: { type: "boolean" } };
      vErrors === null ? vErrors = [err2] : vErrors.push(err2), errors++;
    }
    for (const key0 in data)
      if (!(key0 === "eventType" || key0 === "allowUnsubscribed")) {
        const err3 = { instancePath, keyword: "additionalProperties", params: { additionalProperty: key0, known: "eventType,allowUnsubscribed" } };
        vErrors === null ? vErrors = [err3] : vErrors.push(err3), errors++;
      }
  } else {
    const err4 = { instancePath, keyword: "type", params: { type: "object" } };
    vErrors === null ? vErrors = [err4] : vErrors.push(err4), errors++;
  }
  return validate50.errors = vErrors, errors === 0;
}
validate50.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
function validate49(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null, errors = 0;
  const evaluated0 = validate49.evaluated;
  return evaluated0.dynamicProps && (evaluated0.props = void 0), evaluated0.dynamicItems && (evaluated0.items = void 0), validate50(data, { instancePath, parentData, parentDataProperty, rootData, dynamicAnchors }) || (vErrors = vErrors === null ? validate50.errors : vErrors.concat(validate50.errors), errors = vErrors.length), validate49.errors = vErrors, errors === 0;
}
validate49.evaluated = { props: !0, dynamicProps: !1, dynamicItems: !1 };
export {
  administerUser,
  createApiKey,
  createConsent,
  createDocument,
  createInstance,
  createOAuthClient,
  createUpload,
  createVault,
  createWebhook,
  deleteCurrentUser,
  login,
  logout,
  refresh,
  register,
  rotateWebhookSecret,
  shareDocument,
  testWebhook,
  updateConsent,
  updateCurrentUser,
  updateDocument,
  updateInstance,
  updateKeyring,
  updateOAuthClient,
  updateVault,
  updateVaultKeys,
  updateWebhook
};
