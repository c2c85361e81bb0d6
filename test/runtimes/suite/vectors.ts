/** A document that the program in Python of the SDK's page of formats has encrypted. Binary values are base64. */
export const vector = {
  passphrase: 'Schlu\u0308ssel \ud83d\udd11',
  content: 'Gr\u00fc\u00dfe aus Python\n',
  renamed: 'enc.Xk8c9tYRfXJbo120O4HeoAbZCKbwZ8TnJ549XX4AbHnj',
  id: '019cadd9-1528-7f5e-848b-0eb02474ebdb',
  fileName: 'a.pdf',
  mimeType: 'application/pdf',
  sizeBytes: 167,
  encryptedData:
    'KKE1x01e1aLcX7vkY/CvVf1dGfrFmu52K3D9Ie3AhpwwVm7JVeYujw8xL5/DwVSjeYdWkHyfFxufeRaPWhEut3hmJ/OAJxexYaayd88d1+WC79yG1y8Y7qZxAn0+Oi2HMeqcwDWGKkoSOgyiudqgx42yx/CsCdd5RmuVQ/9eJyJu2MMAIvK8kN2s8quwheftgAWTq6raXtE6dniM3hv43p/iNqlHKmU=',
  encryptionMetadata: {
    algorithm: 'AES256_GCM_HKDF_1MB',
    keyDerivation: 'PBKDF2',
    iterations: 1000,
    salt: 'rdCI8mkLAOHqlVYl+hItuQ==',
    wrappedKey: 'GVysllg6YeVLD8mrXBj4AtI7kCxtjXn5ZrCNsexs6mSBcSdmMiFvOzWN4xHeBDKaFnlM25+RX/gnyi9F',
    iv: 'Vm7JVeYujw==',
    authTag: '0Tp2eIzeG/jen+I2qUcqZQ==',
  },
};
